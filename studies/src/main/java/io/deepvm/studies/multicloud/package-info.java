/** The multi-cloud study of Erben, Mayer and Jacobsen (PVLDB 2024) beside our averaging model. */
@NullMarked
package io.deepvm.studies.multicloud;

import org.jspecify.annotations.NullMarked;

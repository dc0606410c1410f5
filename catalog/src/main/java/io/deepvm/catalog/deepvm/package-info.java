/** The JSON catalogs of the original DeepVM. */
@NullMarked
package io.deepvm.catalog.deepvm;

import org.jspecify.annotations.NullMarked;

/** Options that several commands share, and how their values are read. */
@NullMarked
package io.deepvm.cli.options;

import org.jspecify.annotations.NullMarked;

/** The commands compare and reproduce: figures of published papers. */
@NullMarked
package io.deepvm.cli.studies;

import org.jspecify.annotations.NullMarked;

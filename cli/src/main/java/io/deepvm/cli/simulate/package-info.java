/** The command simulate. */
@NullMarked
package io.deepvm.cli.simulate;

import org.jspecify.annotations.NullMarked;

/** The public spot-traces files: a number of available nodes a tick. */
@NullMarked
package io.deepvm.market.spottraces;

import org.jspecify.annotations.NullMarked;

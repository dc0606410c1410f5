/** How long nodes stay and how long they stay away. */
@NullMarked
package io.deepvm.market.survival;

import org.jspecify.annotations.NullMarked;

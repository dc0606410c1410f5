/** Our own CSV format, which anyone can write. */
@NullMarked
package io.deepvm.market.own;

import org.jspecify.annotations.NullMarked;

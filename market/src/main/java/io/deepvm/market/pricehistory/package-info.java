/** Price samples by zone, on change. */
@NullMarked
package io.deepvm.market.pricehistory;

import org.jspecify.annotations.NullMarked;

/** Tables of counts, one column a zone. */
@NullMarked
package io.deepvm.market.counts;

import org.jspecify.annotations.NullMarked;

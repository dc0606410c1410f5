/** What a trace says at a glance. */
@NullMarked
package io.deepvm.market.stats;

import org.jspecify.annotations.NullMarked;

/** Samples at irregular times, put on a regular clock. */
@NullMarked
package io.deepvm.market.samples;

import org.jspecify.annotations.NullMarked;

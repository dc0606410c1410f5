/** The JSON shape that several trace formats share. */
@NullMarked
package io.deepvm.market.json;

import org.jspecify.annotations.NullMarked;

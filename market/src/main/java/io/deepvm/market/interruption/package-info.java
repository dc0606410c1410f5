/** How often clouds and archives say that spot nodes are interrupted. */
@NullMarked
package io.deepvm.market.interruption;

import org.jspecify.annotations.NullMarked;

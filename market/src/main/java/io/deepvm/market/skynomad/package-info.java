/** The files of the SkyNomad simulator: 1 is preempted, with prices. */
@NullMarked
package io.deepvm.market.skynomad;

import org.jspecify.annotations.NullMarked;

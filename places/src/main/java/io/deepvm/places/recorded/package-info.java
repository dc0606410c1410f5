/** Recorded markets, hazards and scripts, played over any other place. */
@NullMarked
package io.deepvm.places.recorded;

import org.jspecify.annotations.NullMarked;

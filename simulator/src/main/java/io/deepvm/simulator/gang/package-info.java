/** One cluster that is up as a whole or not at all, moved between zones to finish by a deadline. */
@NullMarked
package io.deepvm.simulator.gang;

import org.jspecify.annotations.NullMarked;

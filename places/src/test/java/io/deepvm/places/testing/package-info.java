/** A cloud in memory and a clock that stands still, for tests of everything that uses clouds. */
@NullMarked
package io.deepvm.places.testing;

import org.jspecify.annotations.NullMarked;

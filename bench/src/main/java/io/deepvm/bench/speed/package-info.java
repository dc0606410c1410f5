/** How near predicted training speeds are to measured ones that they have not seen. */
@NullMarked
package io.deepvm.bench.speed;

import org.jspecify.annotations.NullMarked;

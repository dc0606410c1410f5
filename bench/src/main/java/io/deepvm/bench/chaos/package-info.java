/**
 * Real trainers and anchors that are killed, cut off and damaged, and what must hold after that.
 */
@NullMarked
package io.deepvm.bench.chaos;

import org.jspecify.annotations.NullMarked;

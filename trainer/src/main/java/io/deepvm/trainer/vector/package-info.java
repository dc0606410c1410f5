/** Arithmetic on long vectors of floats outside the heap, and the optimizers made of it. */
@NullMarked
package io.deepvm.trainer.vector;

import org.jspecify.annotations.NullMarked;

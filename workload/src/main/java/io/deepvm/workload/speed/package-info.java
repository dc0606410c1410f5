/** How fast one GPU trains a model: measured, from measured relatives, else by peak FLOPS. */
@NullMarked
package io.deepvm.workload.speed;

import org.jspecify.annotations.NullMarked;

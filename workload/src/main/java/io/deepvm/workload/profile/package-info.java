/** Reads the speed of a training script from its output. */
@NullMarked
package io.deepvm.workload.profile;

import org.jspecify.annotations.NullMarked;

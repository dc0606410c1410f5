/** Members with equal parameters that average gradients, each sample trained on once. */
@NullMarked
package io.deepvm.trainer.averaging;

import org.jspecify.annotations.NullMarked;

/** DeepVM: its policies as the public artifact computes them, and its figures beside ours. */
@NullMarked
package io.deepvm.studies.deepvm;

import org.jspecify.annotations.NullMarked;

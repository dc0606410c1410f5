/** Synchronous training on several GPUs: exchanges, step times, memory and how a model is split. */
@NullMarked
package io.deepvm.workload.parallel;

import org.jspecify.annotations.NullMarked;

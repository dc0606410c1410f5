/** Asynchronous training over parameter servers: the analytical model of spotDNN. */
@NullMarked
package io.deepvm.workload.parameterserver;

import org.jspecify.annotations.NullMarked;

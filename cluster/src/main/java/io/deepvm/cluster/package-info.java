/**
 * A run on real processes: a coordinator, an agent on each node, and the training process that the
 * agent looks after.
 */
@NullMarked
package io.deepvm.cluster;

import org.jspecify.annotations.NullMarked;

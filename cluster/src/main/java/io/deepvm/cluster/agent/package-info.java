/**
 * What runs on each node: it starts the training process, tells it the generations, and ends with
 * it.
 */
@NullMarked
package io.deepvm.cluster.agent;

import org.jspecify.annotations.NullMarked;

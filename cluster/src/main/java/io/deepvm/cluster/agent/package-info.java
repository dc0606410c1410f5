/**
 * The program on each node: it starts the training process, passes the generations on to it, and
 * ends with it.
 */
@NullMarked
package io.deepvm.cluster.agent;

import org.jspecify.annotations.NullMarked;

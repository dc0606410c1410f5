/**
 * The lines between the coordinator and an agent: an authenticated connection that the coordinator
 * opens.
 */
@NullMarked
package io.deepvm.cluster.wire;

import org.jspecify.annotations.NullMarked;

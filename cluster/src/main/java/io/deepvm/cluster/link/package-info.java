/**
 * The one link between the coordinator and the agents: what they send each other, and the
 * connections that carry it.
 */
@NullMarked
package io.deepvm.cluster.link;

import org.jspecify.annotations.NullMarked;

/** Nodes that are processes of this machine. */
@NullMarked
package io.deepvm.cluster.local;

import org.jspecify.annotations.NullMarked;

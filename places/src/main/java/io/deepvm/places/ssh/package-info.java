/** Nodes that are machines which ssh reaches. */
@NullMarked
package io.deepvm.places.ssh;

import org.jspecify.annotations.NullMarked;

/** Nodes that are processes of this machine. */
@NullMarked
package io.deepvm.places.local;

import org.jspecify.annotations.NullMarked;

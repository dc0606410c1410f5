/** Anchors: services of their own that keep the checkpoints of workers which may be lost. */
@NullMarked
package io.deepvm.checkpoint.anchor;

import org.jspecify.annotations.NullMarked;

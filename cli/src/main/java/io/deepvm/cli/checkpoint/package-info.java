/** The commands below checkpoint: services and stored checkpoints. */
@NullMarked
package io.deepvm.cli.checkpoint;

import org.jspecify.annotations.NullMarked;

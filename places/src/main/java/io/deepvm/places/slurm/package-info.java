/** Nodes that are jobs of a Slurm cluster. */
@NullMarked
package io.deepvm.places.slurm;

import org.jspecify.annotations.NullMarked;

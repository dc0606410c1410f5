/** A plan as the files of other tools: SkyPilot, Terraform, JobSet, sbatch. */
@NullMarked
package io.deepvm.handover;

import org.jspecify.annotations.NullMarked;

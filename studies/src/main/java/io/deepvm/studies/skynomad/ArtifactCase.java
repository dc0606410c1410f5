package io.deepvm.studies.skynomad;

import io.deepvm.simulator.gang.GangJob;

/** A run as the original's sweeps state it: in hours, from a tick of the trace on. */
public record ArtifactCase(
    double jobHours,
    double deadlineHours,
    double restartHours,
    double checkpointGb,
    int startTick) {

  /** Whether the original refuses to simulate it. */
  public boolean infeasible() {
    return jobHours + restartHours > deadlineHours;
  }

  /** The same in seconds. */
  public GangJob job() {
    return new GangJob(jobHours * 3600, deadlineHours * 3600, restartHours * 3600, checkpointGb);
  }
}

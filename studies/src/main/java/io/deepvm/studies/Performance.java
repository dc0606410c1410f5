package io.deepvm.studies;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Machine;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Role;
import io.deepvm.workload.Job;
import io.deepvm.workload.ScalingCurve;

/**
 * How fast a cluster of one worker type is, by three measures that rank clusters differently.
 *
 * @param flopsN2K flops n n K(n): DeepVM's final figure, which counts the nodes twice
 * @param flopsNK flops n K(n): the same with the nodes counted once
 * @param flopsSpeedup flops times the fitted speed-up, 1 for one node: nearest to measured times
 */
public record Performance(double flopsN2K, double flopsNK, double flopsSpeedup) {

  private static final String SINGLE_ANCHOR = "single-anchor";

  /** Returns the measures of the plan's cluster for the job. */
  public static Performance of(Plan plan, Job job) {
    return of(worker(plan), trainingNodes(plan), job);
  }

  /** Returns the measures of n machines that train together. */
  public static Performance of(Machine machine, int n, Job job) {
    Double flops = machine.flops(job.precision());
    if (flops == null) {
      throw new BadInput(
          "The speed of %s at %s is unknown.".formatted(machine.name(), job.precision()),
          "Maybe choose another precision, or a catalog that states its FLOPS.");
    }
    ScalingCurve curve = job.scaling().of(machine);
    double nodes = n * curve.factor(n);
    return new Performance(flops * nodes * n, flops * nodes, flops * curve.speedup(n));
  }

  /** The machine that trains. */
  public static Machine worker(Plan plan) {
    return plan.nodes().stream()
        .filter(group -> group.role() == Role.WORKER)
        .findFirst()
        .orElseThrow()
        .offer()
        .machine();
  }

  /** How many nodes train: the single anchor does too, the anchors of the other do not. */
  public static int trainingNodes(Plan plan) {
    return plan.architecture().equals(SINGLE_ANCHOR) ? plan.size() : plan.count(Role.WORKER);
  }
}

package io.deepvm.planner;

import java.util.List;

/**
 * What a given cluster will do and cost.
 *
 * @param findings figures, the most asked for first
 * @param bottleneck what holds the cluster back, in a phrase
 * @param sensitivity of the speed to each input, the strongest first
 * @param advice what follows from the figures, a sentence each
 * @param warnings what speaks against the cluster
 * @param assumptions what stood in for measurements
 */
public record ClusterForecast(
    GivenCluster cluster,
    List<Finding> findings,
    String bottleneck,
    List<Elasticity> sensitivity,
    List<String> advice,
    List<String> warnings,
    List<String> assumptions) {

  public ClusterForecast {
    findings = List.copyOf(findings);
    sensitivity = List.copyOf(sensitivity);
    advice = List.copyOf(advice);
    warnings = List.copyOf(warnings);
    assumptions = List.copyOf(assumptions);
  }

  /**
   * One figure.
   *
   * @param key its name for programs, which includes the unit where it is not obvious
   * @param label its name for people
   */
  public record Finding(String key, String label, double value, String unit) {}

  /** Per cent of speed for one per cent more of an input. */
  public record Elasticity(String input, double elasticity) {}
}

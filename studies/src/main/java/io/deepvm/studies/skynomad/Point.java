package io.deepvm.studies.skynomad;

import java.util.List;
import java.util.Locale;

/**
 * One published run.
 *
 * @param scenario the original's name of the zones
 * @param zones one for the policies that stay in one
 * @param window which part of the trace
 */
record Point(
    String sweep,
    String scenario,
    String data,
    List<String> zones,
    String policy,
    double ratio,
    int window,
    ArtifactCase given,
    double published) {

  /** What all windows, and for one-zone policies all zones, have in common. */
  String mean() {
    return group() + ": " + policy;
  }

  /** What all policies have in common. */
  String group() {
    return String.format(
        Locale.ROOT, "%s, %s, ratio %s, %.0f GB", sweep, scenario, ratio, given.checkpointGb());
  }

  String name() {
    String zone = policy.equals("UP") ? " in " + zones.get(0) : "";
    return "%s%s, window %d".formatted(mean(), zone, window);
  }
}

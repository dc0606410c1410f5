package io.deepvm.studies.multicloud;

import io.deepvm.workload.averaging.AveragingFit;
import io.deepvm.workload.averaging.Coefficients;
import io.deepvm.workload.averaging.Observation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Tries the averaging model on the study's runs: on those it was fitted to, and on others. */
final class Validation {

  /** The experiments that the packed coefficients were fitted to. */
  static final Set<String> FITTED = Set.of("S", "A", "B", "E");

  private final List<Run> runs;

  Validation(List<Run> runs) {
    this.runs = runs;
  }

  static boolean fitted(Run run) {
    return FITTED.contains(run.experiment());
  }

  /** Returns the coefficients that the fitted experiments give. */
  Coefficients refit() {
    return AveragingFit.fit(
        runs.stream().filter(Validation::fitted).map(Run::observation).toList(),
        Coefficients.STUDY);
  }

  /** Returns the errors of all runs with the packed coefficients. */
  Errors errors() {
    return errors(runs, Coefficients.STUDY);
  }

  /** Returns the errors with the packed coefficients, by some property of the runs. */
  Map<String, Errors> errors(Function<Run, String> key) {
    return runs.stream()
        .collect(
            Collectors.groupingBy(
                key,
                TreeMap::new,
                Collectors.collectingAndThen(
                    Collectors.toList(), group -> errors(group, Coefficients.STUDY))));
  }

  /** Returns the errors of all runs, each group predicted by a fit to the others only. */
  Errors leaveOneOut(Function<Run, String> key) {
    List<Double> errors = new ArrayList<>();
    for (String group : runs.stream().map(key).distinct().sorted().toList()) {
      List<Observation> others =
          runs.stream().filter(run -> !key.apply(run).equals(group)).map(Run::observation).toList();
      Coefficients constants = AveragingFit.fit(others, Coefficients.STUDY);
      runs.stream()
          .filter(run -> key.apply(run).equals(group))
          .forEach(run -> errors.add(run.observation().error(constants)));
    }
    return Errors.of(errors);
  }

  private static Errors errors(List<Run> runs, Coefficients constants) {
    return Errors.of(runs.stream().map(run -> run.observation().error(constants)).toList());
  }

  /** How often the model is right about whether a larger set of peers is faster. */
  record Signs(int pairs, int right) {

    double share() {
      return (double) right / pairs;
    }
  }

  /** Compares every two runs of which one has all the peers of the other. */
  static Signs signs(List<Run> runs) {
    int pairs = 0;
    int right = 0;
    for (Run fewer : runs) {
      for (Run more : runs) {
        if (fewer.isPartOf(more)) {
          pairs++;
          boolean helped =
              more.observation().samplesPerSecond() > fewer.observation().samplesPerSecond();
          boolean predicted =
              more.forecast().samplesPerSecond() > fewer.forecast().samplesPerSecond();
          right += helped == predicted ? 1 : 0;
        }
      }
    }
    return new Signs(pairs, right);
  }
}

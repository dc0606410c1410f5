package io.deepvm.studies.multicloud;

import io.deepvm.workload.averaging.AveragingFit;
import io.deepvm.workload.averaging.Coefficients;
import io.deepvm.workload.averaging.Errors;
import io.deepvm.workload.averaging.FittedCoefficients;
import io.deepvm.workload.averaging.Observation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Tries the averaging model on the study's runs: on those it was fitted to, and on others. */
final class Validation {

  /** The experiments that the packed coefficients were fitted to. */
  static final Set<String> FITTED = Set.of("S", "A", "B", "E");

  /**
   * Where every fit starts: links felt as measured, and a small host as slow as 8 of 30 cores are
   * when half of the work uses them all. Starting from the packed ones would show a fit of the runs
   * that are left out.
   */
  private static final Coefficients UNINFORMED =
      Coefficients.STUDY.withFitted(0.01, 0.5, 0.1, 1.58, 1, 1, 4);

  private final List<Run> runs;

  Validation(List<Run> runs) {
    this.runs = runs;
  }

  static boolean fitted(Run run) {
    return FITTED.contains(run.experiment());
  }

  /** Returns the coefficients that the fitted experiments give. */
  Coefficients refit() {
    return AveragingFit.fit(observations(Validation::fitted), UNINFORMED);
  }

  /** Returns a fit to the fitted experiments alone, with the intervals of its predictions. */
  FittedCoefficients explain() {
    return AveragingFit.explain(observations(Validation::fitted), UNINFORMED);
  }

  /** Returns what was measured in some of the runs. */
  List<Observation> observations(Predicate<Run> which) {
    return runs.stream().filter(which).map(Run::observation).toList();
  }

  /** Returns the errors of all runs with the packed coefficients. */
  Errors errors() {
    return Errors.of(
        runs.stream().map(run -> run.observation().error(Coefficients.STUDY)).toList());
  }

  /** Returns the errors of a simple reference model on the same runs, or null if not stated. */
  @Nullable Errors reference() {
    List<Double> errors = runs.stream().map(Run::referenceError).filter(Objects::nonNull).toList();
    return errors.size() == runs.size() ? Errors.of(errors) : null;
  }

  /** Returns the runs apart, by some property of theirs. */
  Map<String, Validation> by(Function<Run, String> key) {
    return runs.stream()
        .collect(
            Collectors.groupingBy(
                key,
                TreeMap::new,
                Collectors.collectingAndThen(Collectors.toList(), Validation::new)));
  }

  /** Returns the errors of all runs, each group predicted by a fit to the others only. */
  Errors leaveOneOut(Function<Run, String> key) {
    List<Double> errors = new ArrayList<>();
    for (String group : runs.stream().map(key).distinct().sorted().toList()) {
      List<Observation> others =
          runs.stream().filter(run -> !key.apply(run).equals(group)).map(Run::observation).toList();
      Coefficients constants = AveragingFit.fit(others, UNINFORMED);
      runs.stream()
          .filter(run -> key.apply(run).equals(group))
          .forEach(run -> errors.add(run.observation().error(constants)));
    }
    return Errors.of(errors);
  }

  /** How often the model is right about whether a larger set of peers is faster. */
  record Signs(int pairs, int right) {

    double share() {
      return (double) right / pairs;
    }
  }

  /** Compares each two runs where one has all the peers of the other. */
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

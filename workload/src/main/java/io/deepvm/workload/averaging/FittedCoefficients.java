package io.deepvm.workload.averaging;

import io.deepvm.base.Numbers;
import io.deepvm.workload.fit.Estimate;
import io.deepvm.workload.fit.Parameter;
import io.deepvm.workload.fit.Range;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.hipparchus.distribution.continuous.TDistribution;
import org.jspecify.annotations.Nullable;

/**
 * Coefficients that were fitted to runs, with what is known of their errors.
 *
 * @param parameters the seven that were fitted, in the order of {@link Coefficients#FITTED}
 * @param covariance of the logarithms of the seven, in their order
 * @param scatter standard deviation of the logarithms of measured speeds around the model
 * @param errors of the speeds of the very runs that were fitted
 * @param ranges of what was measured; beyond them every prediction is a guess
 * @param warnings what the runs cannot show, one sentence each
 */
public record FittedCoefficients(
    Coefficients coefficients,
    List<Parameter> parameters,
    double[][] covariance,
    double scatter,
    Errors errors,
    List<Range> ranges,
    List<String> warnings) {

  /** A coefficient with a larger error than half of itself is as good as unknown. */
  private static final double LOOSE = 0.5;

  private static final double CONFIDENCE = 0.95;

  /** The relative change of a coefficient by which slopes are taken. */
  private static final double STEP = 1e-5;

  public FittedCoefficients {
    parameters = List.copyOf(parameters);
    ranges = List.copyOf(ranges);
    warnings = List.copyOf(warnings);
  }

  static FittedCoefficients of(
      Coefficients found,
      List<Parameter> parameters,
      double[][] covariance,
      double scatter,
      List<Observation> runs) {
    return new FittedCoefficients(
        found,
        parameters,
        covariance,
        scatter,
        Errors.of(runs.stream().map(run -> run.error(found)).toList()),
        List.of(
            range("peers", runs, run -> ExchangeModel.count(run.groups())),
            range("parameters", runs, run -> run.model().parameters())),
        warnings(found, parameters, runs));
  }

  /**
   * Returns the speed of a run with the 95 % prediction interval for one more measurement of it,
   * from the errors of the coefficients and the scatter of the runs, both in logarithms.
   */
  public Estimate predict(Observation run) {
    double value = run.predicted(coefficients);
    double[] slopes = new double[parameters.size()];
    for (int i = 0; i < slopes.length; i++) {
      if (parameters.get(i).standardError() == 0) {
        continue; // held, so that the runs say nothing of how it varies
      }
      double[] beside = coefficients.fitted();
      beside[i] *= Math.exp(STEP);
      slopes[i] = Math.log(run.predicted(coefficients.withFitted(beside)) / value) / STEP;
    }
    double variance = scatter * scatter;
    for (int i = 0; i < slopes.length; i++) {
      for (int j = 0; j < slopes.length; j++) {
        variance += slopes[i] * covariance[i][j] * slopes[j];
      }
    }
    double factor =
        Math.exp(
            new TDistribution(errors.runs() - slopes.length)
                    .inverseCumulativeProbability((1 + CONFIDENCE) / 2)
                * Math.sqrt(variance));
    double beyond =
        Math.max(
            ranges.get(0).beyond(ExchangeModel.count(run.groups())),
            ranges.get(1).beyond(run.model().parameters()));
    return new Estimate(value, value / factor, value * factor, beyond);
  }

  /** The share of these runs whose measured speed lies in its interval. */
  public double coverage(List<Observation> runs) {
    long covered = runs.stream().filter(run -> predict(run).covers(run.samplesPerSecond())).count();
    return (double) covered / runs.size();
  }

  private static Range range(
      String input, List<Observation> runs, ToDoubleFunction<Observation> value) {
    return new Range(
        input,
        runs.stream().mapToDouble(value).min().orElseThrow(),
        runs.stream().mapToDouble(value).max().orElseThrow());
  }

  private static List<String> warnings(
      Coefficients found, List<Parameter> parameters, List<Observation> runs) {
    List<String> untold = new ArrayList<>();
    List<String> loose = new ArrayList<>();
    List<String> warnings = new ArrayList<>();
    for (Parameter each : parameters) {
      double relative = each.standardError() / each.value();
      if (relative == 0) {
        warnings.add(
            "By the runs, small hosts are no slower than large ones; %s is held at 1."
                .formatted(each.name()));
      } else if (Double.isInfinite(relative)) {
        untold.add(each.name());
      } else if (relative > LOOSE) {
        loose.add("%s (%s)".formatted(each.name(), Numbers.percent(relative)));
      }
    }
    if (!untold.isEmpty()) {
      warnings.add(
          "The runs show nothing of %s: the figure is the start of the fit."
              .formatted(String.join(", ", untold)));
    }
    if (!loose.isEmpty()) {
      warnings.add(
          "The runs hardly show %s: other values fit them as well."
              .formatted(String.join(", ", loose)));
    }
    for (String assumption : assumptions(found, runs)) {
      warnings.add("A slowest link was not measured: %s.".formatted(assumption));
    }
    return warnings;
  }

  private static Set<String> assumptions(Coefficients found, List<Observation> runs) {
    Set<String> assumptions = new LinkedHashSet<>();
    for (Observation run : runs) {
      Exchange.@Nullable Bottleneck slowest =
          new AveragingModel(run.model(), run.network(), run.protocol(), found)
              .exchange(run.groups())
              .bottleneck();
      if (slowest != null && !slowest.link().assumption().isEmpty()) {
        assumptions.add(slowest.link().assumption());
      }
    }
    return assumptions;
  }
}

package io.deepvm.workload.averaging;

import io.deepvm.units.Numbers;
import io.deepvm.workload.fit.Parameter;
import io.deepvm.workload.fit.Range;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Coefficients that were fitted to runs, with what is known of their errors.
 *
 * @param parameters the seven that were fitted, in the order of {@link Coefficients#FITTED}
 * @param errors of the speeds of the very runs that were fitted
 * @param ranges of what was measured; beyond them every prediction is a guess
 * @param warnings what the runs cannot tell, one sentence each
 */
public record FittedCoefficients(
    Coefficients coefficients,
    List<Parameter> parameters,
    Errors errors,
    List<Range> ranges,
    List<String> warnings) {

  /** A coefficient with a larger error than half of itself is as good as unknown. */
  private static final double LOOSE = 0.5;

  public FittedCoefficients {
    parameters = List.copyOf(parameters);
    ranges = List.copyOf(ranges);
    warnings = List.copyOf(warnings);
  }

  static FittedCoefficients of(
      Coefficients found, List<Parameter> parameters, List<Observation> runs) {
    return new FittedCoefficients(
        found,
        parameters,
        Errors.of(runs.stream().map(run -> run.error(found)).toList()),
        List.of(
            range("peers", runs, run -> ExchangeModel.count(run.groups())),
            range("parameters", runs, run -> run.model().parameters())),
        warnings(found, parameters, runs));
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
          "The runs tell nothing of %s: what stands there is the start of the fit."
              .formatted(String.join(", ", untold)));
    }
    if (!loose.isEmpty()) {
      warnings.add(
          "The runs hardly tell %s: other values fit them as well."
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

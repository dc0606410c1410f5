package io.deepvm.cli.print;

import io.deepvm.base.Numbers;
import io.deepvm.workload.fit.Estimate;
import io.deepvm.workload.fit.FittedCurve;
import io.deepvm.workload.fit.Parameter;
import io.deepvm.workload.fit.Range;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** A fitted curve: its parameters with their errors, what it cannot show, and predictions. */
public record FitReport(FittedCurve curve, String jobKey, List<double[]> at, PrintWriter out) {

  /** Prints it for people, with the lines for a job file. */
  public void table(Paint paint) {
    Table table = new Table("PARAMETER", "VALUE>", "STANDARD ERROR>");
    for (Parameter parameter : curve.parameters()) {
      table.row(
          parameter.name(),
          Numbers.print(parameter.value(), 6),
          parameter.standardError() == 0 ? "not fitted" : Numbers.print(parameter.standardError()));
    }
    table.print(out, paint, "");
    out.printf(
        "%n%d measurements, %s around the curve; fitted for %s.%n",
        curve.observations(), Numbers.print(curve.residual()), ranges());
    curve.warnings().forEach(warning -> out.println("Beware: " + warning));
    for (double[] inputs : at) {
      Estimate estimate = curve.predict(inputs);
      out.printf(
          "At %s: %s, 95 %% between %s and %s%s.%n",
          print(inputs),
          Numbers.print(estimate.value(), 4),
          Numbers.print(estimate.low(), 4),
          Numbers.print(estimate.high(), 4),
          estimate.extrapolated()
              ? "; beware: %s what was measured".formatted(beyond(estimate.beyond()))
              : "");
    }
    out.printf("%nFor the job file, %s:%n  {%s}%n", jobKey, yaml());
  }

  /** Prints it as JSON. */
  public void json() {
    Json.object(
        out,
        json -> {
          json.put("schema", "deepvm/fit/v1");
          json.array(
              "parameters",
              list -> {
                for (Parameter parameter : curve.parameters()) {
                  list.object(
                      o -> {
                        o.put("name", parameter.name());
                        o.put("value", parameter.value());
                        o.put("standardError", parameter.standardError());
                      });
                }
              });
          json.put("observations", curve.observations());
          json.put("residual", curve.residual());
          json.texts("warnings", curve.warnings());
          json.array(
              "predictions",
              list -> {
                for (double[] inputs : at) {
                  Estimate estimate = curve.predict(inputs);
                  list.object(
                      o -> {
                        for (int i = 0; i < inputs.length; i++) {
                          o.put(curve.ranges().get(i).input(), inputs[i]);
                        }
                        o.put("value", estimate.value());
                        o.put("low", estimate.low());
                        o.put("high", estimate.high());
                        o.put("timesBeyondMeasured", estimate.beyond());
                      });
                }
              });
        });
  }

  /** Prints the parameters as CSV, and after them the predictions with their intervals. */
  public void csv() {
    Csv csv = new Csv(out).row("parameter", "value", "standard_error", "low", "high");
    for (Parameter parameter : curve.parameters()) {
      csv.row(parameter.name(), parameter.value(), parameter.standardError(), null, null);
    }
    for (double[] inputs : at) {
      Estimate estimate = curve.predict(inputs);
      csv.row("at " + print(inputs), estimate.value(), null, estimate.low(), estimate.high());
    }
  }

  private static String print(double[] inputs) {
    return Arrays.stream(inputs).mapToObj(Numbers::print).collect(Collectors.joining(", "));
  }

  /** Beyond a range that ends at 0, everything is infinitely many times so. */
  private static String beyond(double times) {
    return Double.isInfinite(times) ? "unlike" : Numbers.print(times) + " times beyond";
  }

  private String ranges() {
    return curve.ranges().stream().map(FitReport::range).collect(Collectors.joining(", "));
  }

  private static String range(Range range) {
    return "%s %s to %s"
        .formatted(range.input(), Numbers.print(range.low()), Numbers.print(range.high()));
  }

  private String yaml() {
    return curve.parameters().stream()
        .map(p -> p.name() + ": " + Numbers.print(p.value(), 8))
        .collect(Collectors.joining(", "));
  }
}

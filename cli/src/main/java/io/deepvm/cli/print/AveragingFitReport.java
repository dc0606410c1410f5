package io.deepvm.cli.print;

import io.deepvm.base.Numbers;
import io.deepvm.workload.averaging.Errors;
import io.deepvm.workload.averaging.FittedCoefficients;
import io.deepvm.workload.averaging.Observation;
import io.deepvm.workload.fit.Estimate;
import io.deepvm.workload.fit.Parameter;
import io.deepvm.workload.fit.Range;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Fitted coefficients of averaging with their errors, what the runs cannot show, and predictions.
 *
 * @param runs those that were fitted
 * @param others those that were not, to be predicted
 */
public record AveragingFitReport(
    FittedCoefficients fit, List<Observation> runs, List<Observation> others, PrintWriter out) {

  /** Prints it for people, with the lines for a job file. */
  public void table(Paint paint) {
    Table table = new Table("COEFFICIENT", "VALUE>", "STANDARD ERROR>");
    for (Parameter each : fit.parameters()) {
      table.row(each.name(), Numbers.print(each.value(), 4), error(each));
    }
    table.print(out, paint, "");
    Errors errors = fit.errors();
    out.printf(
        "%n%d runs, %s. Error of samples/s on these same runs: median %s, ninth decile %s, worst"
            + " %s; on others it is larger.%n",
        errors.runs(),
        fit.ranges().stream().map(AveragingFitReport::range).collect(Collectors.joining(", ")),
        Numbers.percent(errors.median()),
        Numbers.percent(errors.ninthDecile()),
        Numbers.percent(errors.worst()));
    out.println("Beware: beyond these peers and parameters every prediction is a guess.");
    fit.warnings().forEach(warning -> out.println("Beware: " + warning));
    predictions(paint);
    out.printf("%nFor the job file, averaging.coefficients:%n  {%s}%n", yaml());
  }

  private void predictions(Paint paint) {
    Table table =
        new Table("RUN", "MEASURED>", "PREDICTED>", "95 % FROM>", "TO>", "INSIDE", "FITTED");
    runs.forEach(run -> row(table, run, "yes"));
    others.forEach(run -> row(table, run, "no"));
    out.println();
    table.print(out, paint, "");
    out.printf("%nThe intervals hold %s runs that were fitted", share(runs));
    out.println(others.isEmpty() ? "." : " and %s that were not.".formatted(share(others)));
  }

  private void row(Table table, Observation run, String fitted) {
    Estimate estimate = fit.predict(run);
    boolean inside = estimate.covers(run.samplesPerSecond());
    table.row(
        run.model().name(),
        Numbers.print(run.samplesPerSecond(), 4),
        Numbers.print(estimate.value(), 4),
        Numbers.print(estimate.low(), 4),
        Numbers.print(estimate.high(), 4),
        inside ? "yes" : "no",
        estimate.extrapolated()
            ? "%s, %s times beyond".formatted(fitted, Numbers.print(estimate.beyond()))
            : fitted);
  }

  private String share(List<Observation> some) {
    return "%s of %d".formatted(Math.round(fit.coverage(some) * some.size()), some.size());
  }

  private static String error(Parameter parameter) {
    double error = parameter.standardError();
    if (error == 0) {
      return "not fitted";
    }
    return Double.isInfinite(error) ? "unknown" : Numbers.percent(error / parameter.value());
  }

  /** Prints it as JSON. */
  public void json() {
    Json.object(
        out,
        json -> {
          json.put("schema", "deepvm/fit-averaging/v1");
          json.array(
              "parameters",
              list -> {
                for (Parameter each : fit.parameters()) {
                  list.object(
                      o -> {
                        o.put("name", each.name());
                        o.put("value", each.value());
                        o.put("standardError", each.standardError());
                      });
                }
              });
          json.put("observations", fit.errors().runs());
          json.object(
              "errors",
              o -> {
                o.put("median", fit.errors().median());
                o.put("ninthDecile", fit.errors().ninthDecile());
                o.put("worst", fit.errors().worst());
              });
          json.array(
              "measured",
              list -> {
                for (Range range : fit.ranges()) {
                  list.object(
                      o -> {
                        o.put("input", range.input());
                        o.put("low", range.low());
                        o.put("high", range.high());
                      });
                }
              });
          json.texts("warnings", fit.warnings());
          json.put("coverage", fit.coverage(runs));
          json.put("coverageOfOthers", others.isEmpty() ? null : fit.coverage(others));
          json.array(
              "predictions",
              list -> {
                for (Observation run : runs) {
                  prediction(list, run, true);
                }
                for (Observation run : others) {
                  prediction(list, run, false);
                }
              });
        });
  }

  private void prediction(Json list, Observation run, boolean fitted) throws IOException {
    Estimate estimate = fit.predict(run);
    list.object(
        o -> {
          o.put("run", run.model().name());
          o.put("fitted", fitted);
          o.put("measured", run.samplesPerSecond());
          o.put("value", estimate.value());
          o.put("low", estimate.low());
          o.put("high", estimate.high());
          o.put("timesBeyondMeasured", estimate.beyond());
        });
  }

  /** Prints the coefficients as CSV. */
  public void csv() {
    Csv csv = new Csv(out).row("parameter", "value", "standard_error");
    for (Parameter each : fit.parameters()) {
      csv.row(each.name(), each.value(), each.standardError());
    }
  }

  private static String range(Range range) {
    return "%s %s to %s"
        .formatted(range.input(), Numbers.print(range.low()), Numbers.print(range.high()));
  }

  private String yaml() {
    return fit.parameters().stream()
        .map(p -> p.name() + ": " + Numbers.print(p.value(), 8))
        .collect(Collectors.joining(", "));
  }
}

package io.deepvm.cli.print;

import io.deepvm.units.Numbers;
import io.deepvm.workload.averaging.Errors;
import io.deepvm.workload.averaging.FittedCoefficients;
import io.deepvm.workload.fit.Parameter;
import io.deepvm.workload.fit.Range;
import java.io.PrintWriter;
import java.util.stream.Collectors;

/** Fitted coefficients of averaging with their errors, and what the runs cannot tell. */
public record AveragingFitReport(FittedCoefficients fit, PrintWriter out) {

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
    out.printf("%nFor the job file, averaging.coefficients:%n  {%s}%n", yaml());
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

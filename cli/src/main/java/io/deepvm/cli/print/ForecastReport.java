package io.deepvm.cli.print;

import io.deepvm.base.Durations;
import io.deepvm.base.Numbers;
import io.deepvm.planner.ClusterForecast;
import io.deepvm.planner.ClusterForecast.Elasticity;
import io.deepvm.planner.ClusterForecast.Finding;
import io.deepvm.planner.NodeGroup;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** What a given cluster will do. */
public record ForecastReport(String job, ClusterForecast forecast, PrintWriter out) {

  /** Prints it for people. */
  public void table(Paint paint) {
    out.println(
        paint.strong(
            "%s by %s on %s"
                .formatted(
                    job,
                    forecast.cluster().architecture(),
                    Clusters.nodes(forecast.cluster().nodes()))));
    out.println("Held back by " + forecast.bottleneck() + ".");
    out.println();
    Table figures = new Table("FIGURE", "VALUE>", "UNIT");
    for (Finding each : forecast.findings()) {
      figures.row(each.label(), value(each), unit(each));
    }
    figures.print(out, paint, "");
    if (!forecast.sensitivity().isEmpty()) {
      out.println();
      Table inputs = new Table("ONE PER CENT MORE OF", "CHANGES THE SPEED BY>");
      for (Elasticity each : forecast.sensitivity()) {
        inputs.row(each.input(), Figures.percent(each.elasticity() / 100));
      }
      inputs.print(out, paint, "");
    }
    lines("Warnings:", forecast.warnings());
    lines("What follows:", forecast.advice());
    lines("Assumed:", forecast.assumptions());
  }

  private static String value(Finding finding) {
    return switch (finding.unit()) {
      case "FLOPS" -> Figures.flops(finding.value(), false);
      case "$", "$/h" -> Figures.dollars(finding.value());
      case "s" ->
          finding.value() < 120
              ? String.format(Locale.ROOT, "%.1f", finding.value())
              : Durations.print(Durations.ofSeconds(finding.value()));
      default -> Numbers.print(finding.value(), 4);
    };
  }

  private static String unit(Finding finding) {
    return switch (finding.unit()) {
      case "FLOPS", "$" -> "";
      case "$/h" -> "/h";
      case "s" -> finding.value() < 120 ? "s" : "";
      default -> finding.unit();
    };
  }

  private void lines(String title, List<String> lines) {
    if (!lines.isEmpty()) {
      out.println();
      out.println(title);
      lines.forEach(line -> out.println("- " + line));
    }
  }

  /** Prints it as JSON of the schema deepvm/prediction/v1. */
  public void json() {
    Json.object(
        out,
        json -> {
          json.put("schema", "deepvm/prediction/v1");
          json.put("job", job);
          json.put("architecture", forecast.cluster().architecture());
          json.array(
              "nodes",
              nodes -> {
                for (NodeGroup group : forecast.cluster().nodes()) {
                  nodes.object(n -> PlanJson.group(n, group));
                }
              });
          json.object(
              "predicted",
              p -> {
                for (Finding each : forecast.findings()) {
                  p.put(each.key(), each.value());
                }
              });
          json.put("bottleneck", forecast.bottleneck());
          json.object(
              "sensitivity",
              s -> {
                for (Elasticity each : forecast.sensitivity()) {
                  s.put(each.input(), each.elasticity());
                }
              });
          json.texts("warnings", forecast.warnings());
          json.texts("advice", forecast.advice());
          json.texts("assumptions", forecast.assumptions());
        });
  }

  /** Prints it as CSV, one row per figure, input or sentence. */
  public void csv() {
    Csv csv = new Csv(out).row("kind", "name", "value", "unit");
    for (Finding each : forecast.findings()) {
      csv.row("figure", each.key(), each.value(), each.unit());
    }
    csv.row("bottleneck", forecast.bottleneck(), null, null);
    for (Elasticity each : forecast.sensitivity()) {
      csv.row("sensitivity", each.input(), each.elasticity(), null);
    }
    forecast.warnings().forEach(line -> csv.row("warning", line, null, null));
    forecast.advice().forEach(line -> csv.row("advice", line, null, null));
    forecast.assumptions().forEach(line -> csv.row("assumption", line, null, null));
  }
}

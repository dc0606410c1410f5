package io.deepvm.studies.multicloud;

import io.deepvm.studies.StudyRow;
import io.deepvm.workload.averaging.Exchange.Traffic;
import io.deepvm.workload.averaging.Forecast;
import java.util.ArrayList;
import java.util.List;

/**
 * Figure 11, dollars per VM and hour: the traffic the paper charges beside what was really sent.
 *
 * <p>The figure prices one run (D-1 or C-8, both on Google's machines) as three clouds would.
 */
final class CostBreakdown {

  /** One bar: published traffic in and out of the zone, and the cloud's prices per GB. */
  private record Bar(
      String run,
      String model,
      String cloud,
      double internal,
      double external,
      double perInternalGb,
      double perExternalGb,
      double perOceaniaGb) {}

  private static final List<Bar> BARS =
      List.of(
          new Bar("D-1", "CONV", "GC", 0.0289, 0.0577, 0.01, 0.01, 0),
          new Bar("D-1", "CONV", "AWS", 0.0289, 0.0577, 0.01, 0.01, 0),
          new Bar("D-1", "CONV", "Azure", 0, 0.1154, 0, 0.02, 0),
          new Bar("D-1", "RXLM", "GC", 0.1906, 0.3813, 0.01, 0.01, 0),
          new Bar("D-1", "RXLM", "AWS", 0.1906, 0.3813, 0.01, 0.01, 0),
          new Bar("D-1", "RXLM", "Azure", 0, 0.7626, 0, 0.02, 0),
          new Bar("C-8", "CONV", "GC", 0.0685, 1.1809, 0.01, 0.08, 0.15),
          new Bar("C-8", "CONV", "AWS", 0.0685, 0.2054, 0.01, 0.02, 0.02),
          new Bar("C-8", "CONV", "Azure", 0, 0.5134, 0, 0.02, 0.08),
          new Bar("C-8", "RXLM", "GC", 0.251, 4.3293, 0.01, 0.08, 0.15),
          new Bar("C-8", "RXLM", "AWS", 0.251, 0.7529, 0.01, 0.02, 0.02),
          new Bar("C-8", "RXLM", "Azure", 0, 1.8823, 0, 0.02, 0.08));

  private final List<Run> runs;

  CostBreakdown(List<Run> runs) {
    this.runs = runs;
  }

  List<StudyRow> rows() {
    List<StudyRow> rows = new ArrayList<>();
    for (Bar bar : BARS) {
      runs.stream()
          .filter(run -> run.id().equals(bar.run) && run.modelKey().equals(bar.model))
          .forEach(run -> rows.add(row(bar, run.forecast())));
    }
    return rows;
  }

  private static StudyRow row(Bar bar, Forecast forecast) {
    double dollars = bar.run.equals("D-1") ? halved(bar, forecast) : byRoute(bar, forecast);
    return MultiCloudStudy.row(
        "traffic $/h per VM, %s %s priced by %s".formatted(bar.run, bar.model, bar.cloud),
        bar.internal + bar.external,
        dollars,
        bar.run.equals("D-1")
            ? "steady state; the paper divides by a run time that includes the start"
            : "true shares 1/7, 3/7, 3/7 of the routes; the paper takes 8/20, 6/20, 6/20");
  }

  /** D-1 stands for two peers in each of two clouds: a third of the traffic stays inside. */
  private static double halved(Bar bar, Forecast forecast) {
    return gbPerHourAndPeer(forecast) * (bar.perInternalGb + 2 * bar.perExternalGb) / 3;
  }

  private static double byRoute(Bar bar, Forecast forecast) {
    double dollars = 0;
    for (Traffic each : forecast.exchange().traffic()) {
      boolean oceania =
          each.from().region().startsWith("australia")
              || each.to().region().startsWith("australia");
      double perGb =
          each.from().equals(each.to())
              ? bar.perInternalGb
              : oceania ? bar.perOceaniaGb : bar.perExternalGb;
      dollars += each.bytes() / 1e9 * perGb;
    }
    return dollars * roundsPerHour(forecast) / forecast.exchange().peers();
  }

  private static double gbPerHourAndPeer(Forecast forecast) {
    double bytes = forecast.exchange().traffic().stream().mapToDouble(Traffic::bytes).sum();
    return bytes / 1e9 * roundsPerHour(forecast) / forecast.exchange().peers();
  }

  private static double roundsPerHour(Forecast forecast) {
    return 3600 / forecast.roundSeconds();
  }
}

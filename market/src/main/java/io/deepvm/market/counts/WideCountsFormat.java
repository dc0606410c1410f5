package io.deepvm.market.counts;

import io.deepvm.base.BadInput;
import io.deepvm.base.TextSource;
import io.deepvm.catalog.csv.CsvRow;
import io.deepvm.catalog.csv.CsvTable;
import io.deepvm.market.Pool;
import io.deepvm.market.ReadOptions;
import io.deepvm.market.Recording;
import io.deepvm.market.Trace;
import io.deepvm.market.TraceFormat;
import io.deepvm.market.Zones;
import io.deepvm.market.samples.Samples;
import io.deepvm.market.samples.Times;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads a table of counts: a first column of times, then one column a zone, named like it. */
public final class WideCountsFormat implements TraceFormat {

  @Override
  public String name() {
    return "counts";
  }

  @Override
  public boolean recognises(String opening) {
    List<String> header = Arrays.asList(opening.lines().findFirst().orElse("").split(",", -1));
    return header.size() > 1
        && header.subList(1, header.size()).stream().allMatch(zone -> Zones.isZone(zone.strip()));
  }

  @Override
  public Recording read(TextSource source, ReadOptions options) {
    String type = options.instanceType();
    if (type == null) {
      throw new BadInput(
          "%s counts nodes by zone, but does not say of which machine.".formatted(source.label()),
          "Maybe state --instance-type, such as a3-highgpu-1g.");
    }
    List<Samples> zones = new ArrayList<>();
    try (CsvTable table = CsvTable.open(source)) {
      List<String> header = table.header();
      for (String zone : header.subList(1, header.size())) {
        zones.add(new Samples(new Pool(Zones.ofZone(zone), type), source.label(), true));
      }
      for (CsvRow row = table.next(); row != null; row = table.next()) {
        long time = Samples.wholeSeconds(Times.nanos(row, 0));
        for (int z = 0; z < zones.size(); z++) {
          zones.get(z).add(time, Times.count(row, z + 1), Double.NaN);
        }
      }
    }
    return recording(source, zones, options);
  }

  private static Recording recording(TextSource source, List<Samples> zones, ReadOptions options) {
    Duration step = options.tick() != null ? options.tick() : zones.get(0).usualStep();
    if (step == null) {
      throw new BadInput(
          "%s has fewer than two rows, so its tick is unknown.".formatted(source.label()),
          "Maybe state --tick, or the file was cut short.");
    }
    Integer asked = options.asked();
    if (asked != null) {
      zones.forEach(zone -> zone.askedFor(asked));
    }
    List<Trace> traces = zones.stream().map(zone -> zone.trace(step)).toList();
    int most = asked != null ? asked : traces.stream().mapToInt(Trace::asked).max().orElseThrow();
    List<String> assumptions = new ArrayList<>();
    assumptions.add("A number counts available nodes.");
    assumptions.add("One tick is %s s.".formatted(step.toNanos() / 1e9));
    if (asked == null) {
      assumptions.add("%d nodes were asked for, as many as any zone ever gave.".formatted(most));
    }
    int crowded = zones.get(0).crowded();
    if (crowded > 0) {
      assumptions.add(
          "Of several rows in one tick the last holds; %d gave way.".formatted(crowded));
    }
    int gaps = traces.get(0).gaps();
    if (gaps > 0) {
      assumptions.add("%d of %d ticks are gaps.".formatted(gaps, traces.get(0).length()));
    }
    return new Recording(
        source.stem(),
        "the file " + source.label(),
        "",
        traces.stream().map(trace -> trace.askedFor(most)).toList(),
        assumptions);
  }
}

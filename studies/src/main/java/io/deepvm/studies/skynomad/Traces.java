package io.deepvm.studies.skynomad;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import io.deepvm.base.BadInput;
import io.deepvm.simulator.gang.GangMarket;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The original's traces, packed as runs of equal ticks, or as its own files in a folder. */
final class Traces {

  /** One zone's trace, in our polarity. */
  private record ZoneTrace(double tickSeconds, double onDemand, boolean[] up, double[] spot) {}

  private final @Nullable Path folder;
  private final Map<String, ZoneTrace> known = new HashMap<>();

  private Traces(@Nullable Path folder) {
    this.folder = folder;
  }

  /** Returns the traces that are packed. */
  static Traces packed() {
    Traces traces = new Traces(null);
    for (NamedCsvRecord row : Packed.rows("traces.csv")) {
      String[] prices = Packed.words(row, "spot");
      String[] changes = Packed.words(row, "up_then_down");
      int ticks = Integer.parseInt(row.getField("ticks"));
      boolean[] up = new boolean[ticks];
      int at = 0;
      for (int i = 0; i < changes.length; i++) {
        int length = Integer.parseInt(changes[i]);
        Arrays.fill(up, at, at + length, i % 2 == 0);
        at += length;
      }
      double[] spot = new double[ticks];
      at = 0;
      for (String run : prices) {
        int times = run.indexOf('x');
        int length = Integer.parseInt(run.substring(times + 1));
        Arrays.fill(spot, at, at + length, Double.parseDouble(run.substring(0, times)));
        at += length;
      }
      traces.known.put(
          row.getField("data") + "/" + row.getField("zone"),
          new ZoneTrace(
              Packed.number(row, "tick_seconds"), Packed.number(row, "on_demand"), up, spot));
    }
    return traces;
  }

  /** Returns the traces of a folder laid out as the original's: data set, zone, full.json. */
  static Traces of(Path folder) {
    return new Traces(folder);
  }

  /** Returns the market of some zones of one data set, in this order. */
  GangMarket market(String data, List<String> zones) {
    List<ZoneTrace> traces = zones.stream().map(zone -> trace(data, zone)).toList();
    List<String> regions = zones.stream().map(ArtifactEgress::region).toList();
    double[][] egress = new double[zones.size()][zones.size()];
    for (int i = 0; i < zones.size(); i++) {
      for (int j = 0; j < zones.size(); j++) {
        egress[i][j] = ArtifactEgress.perGb(regions.get(i), regions.get(j));
      }
    }
    return GangMarket.of(
        zones,
        regions,
        traces.get(0).tickSeconds(),
        traces.stream().map(ZoneTrace::up).toArray(boolean[][]::new),
        traces.stream().map(ZoneTrace::spot).toArray(double[][]::new),
        traces.stream().mapToDouble(ZoneTrace::onDemand).toArray(),
        egress);
  }

  private ZoneTrace trace(String data, String zone) {
    ZoneTrace trace = known.get(data + "/" + zone);
    if (trace == null) {
      trace = read(data, zone);
      known.put(data + "/" + zone, trace);
    }
    return trace;
  }

  private ZoneTrace read(String data, String zone) {
    if (folder == null) {
      throw new BadInput(
          "The zone %s of %s is not packed.".formatted(zone, data), "Maybe give --data.");
    }
    Path file = folder.resolve(data).resolve(zone).resolve("full.json");
    try {
      JsonNode root = new ObjectMapper().readTree(file.toFile());
      JsonNode prices = root.path("prices");
      JsonNode info = root.path("metadata").path("price_info");
      int ticks = root.path("data").size();
      double tick = root.path("metadata").path("gap_seconds").asDouble();
      if (ticks == 0 || !(tick > 0) || (!prices.isEmpty() && prices.size() < ticks)) {
        throw new IOException("no ticks, or no prices for them");
      }
      boolean[] up = new boolean[ticks];
      double[] spot = new double[ticks];
      for (int t = 0; t < ticks; t++) {
        up[t] = root.path("data").get(t).asInt() == 0;
        spot[t] = prices.isEmpty() ? info.path("price").asDouble() : prices.get(t).asDouble();
      }
      return new ZoneTrace(tick, info.path("on_demand_price").asDouble(), up, spot);
    } catch (IOException e) {
      throw new BadInput(
          "The trace %s cannot be read: %s".formatted(file, e.getMessage()),
          "Maybe the original's data is in another folder.");
    }
  }
}

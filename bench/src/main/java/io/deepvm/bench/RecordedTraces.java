package io.deepvm.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.deepvm.catalog.Place;
import io.deepvm.market.Pool;
import io.deepvm.market.Trace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads the recorded markets of a folder of reference material. */
final class RecordedTraces {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final double V100_SPOT = 0.918;
  private static final double V100_ON_DEMAND = 3.06;

  private final Path folder;
  private final Map<String, Trace> zones = new HashMap<>();

  RecordedTraces(Path folder) {
    this.folder = folder;
  }

  JsonNode json(String path) {
    try {
      return JSON.readTree(folder.resolve(path).toFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** One of SkyNomad's zones: 1 node while it was up, at the recorded prices. */
  Trace zone(String data, String zone) {
    return zones.computeIfAbsent(data + "/" + zone, path -> readZone(path, zone));
  }

  private Trace readZone(String path, String zone) {
    JsonNode file = json("data/skynomad/" + path + "/full.json");
    JsonNode prices = file.get("prices");
    JsonNode facts = file.get("metadata").get("price_info");
    int[] counts = new int[file.get("data").size()];
    double[] spot = new double[counts.length];
    for (int t = 0; t < counts.length; t++) {
      // SkyNomad's files say 1 where the zone was down.
      counts[t] = 1 - file.get("data").get(t).asInt();
      spot[t] = (prices == null ? facts.get("price") : prices.get(t)).asDouble();
    }
    Duration tick = Duration.ofSeconds(file.get("metadata").get("gap_seconds").asInt());
    return new Trace(
        pool(zone.substring(0, zone.indexOf('_'))),
        null,
        tick,
        counts,
        1,
        spot,
        facts.get("on_demand_price").asDouble());
  }

  /** The 13 zones' counts of up to 16 H100 nodes; SkyNomad's prices are those of all 16. */
  List<Trace> h100Counts() {
    List<String> lines;
    try {
      lines =
          Files.readAllLines(
              folder.resolve("data/traces/gcp-h100-16-node-2025-10/counts.csv"),
              StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<String> names = Arrays.asList(lines.get(0).split(",", -1));
    List<Trace> traces = new ArrayList<>();
    for (int z = 1; z < names.size(); z++) {
      int[] counts = new int[lines.size() - 1];
      for (int t = 0; t < counts.length; t++) {
        String cell = lines.get(t + 1).split(",", -1)[z];
        counts[t] = cell.isEmpty() ? 0 : Integer.parseInt(cell);
      }
      Trace gang = zone("h100", names.get(z) + "_h100_16");
      double onDemand = gang.onDemandUsdPerHour() == null ? 0 : gang.onDemandUsdPerHour();
      traces.add(
          counted(
              names.get(z),
              Duration.ofMinutes(10),
              counts,
              gang.spotUsdPerHour()[0] / 16,
              onDemand / 16));
    }
    return traces;
  }

  /** The counts of up to 16 V100 nodes in two AWS zones. */
  List<Trace> v100Counts() {
    List<Trace> traces = new ArrayList<>();
    for (String zone : List.of("us-east-2b", "us-west-2a")) {
      JsonNode data =
          json("data/traces/availability/16-node/aws-08-27-2023/" + zone + "_v100_1.json")
              .get("data");
      int[] counts = new int[data.size()];
      Arrays.setAll(counts, t -> data.get(t).asInt());
      traces.add(counted(zone, Duration.ofMinutes(5), counts, V100_SPOT, V100_ON_DEMAND));
    }
    return traces;
  }

  private static Trace counted(
      String zone, Duration tick, int[] counts, double spot, double onDemand) {
    double[] prices = new double[counts.length];
    Arrays.fill(prices, spot);
    return new Trace(pool(zone), null, tick, counts, 16, prices, onDemand);
  }

  private static Pool pool(String zone) {
    String region = zone.substring(0, zone.length() - 1);
    region = region.endsWith("-") ? region.substring(0, region.length() - 1) : region;
    return new Pool(new Place("none", region, zone), "node");
  }

  /** Dollars per GB between the traces' regions, as SkyNomad counts them. */
  static double[][] egress(List<Trace> traces) {
    int n = traces.size();
    double[][] usd = new double[n][n];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        String from = traces.get(i).pool().place().region();
        String to = traces.get(j).pool().place().region();
        boolean near = from.startsWith("us-east-") && to.startsWith("us-east-");
        usd[i][j] = from.equals(to) ? 0 : near ? 0.01 : 0.02;
      }
    }
    return usd;
  }
}

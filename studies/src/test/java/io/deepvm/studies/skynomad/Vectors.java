package io.deepvm.studies.skynomad;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.deepvm.simulator.gang.GangMarket;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The reference runs of the original, where they are at hand. */
final class Vectors {

  private static final Path SHARED =
      Path.of(System.getProperty("deepvm.root", "."), "..", "shared");

  private Vectors() {}

  static JsonNode read() {
    Path file = SHARED.resolve("vectors/skynomad.json");
    assumeTrue(Files.exists(file), "the reference runs are not at hand");
    try {
      return new ObjectMapper().readTree(file.toFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Path data() {
    Path folder = SHARED.resolve("data/skynomad");
    assumeTrue(Files.exists(folder), "the original's data is not at hand");
    return folder;
  }

  static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(node -> texts.add(node.asText()));
    return texts;
  }

  /** Returns the market of a hand-made case. */
  static GangMarket market(JsonNode hand) {
    List<String> names = new ArrayList<>();
    List<boolean[]> up = new ArrayList<>();
    List<double[]> spot = new ArrayList<>();
    List<Double> onDemand = new ArrayList<>();
    for (JsonNode zone : hand.get("regions")) {
      String preempted = zone.get("preempted").asText();
      boolean[] ups = new boolean[preempted.length()];
      double[] prices = new double[preempted.length()];
      JsonNode price = zone.get("spot_price");
      for (int t = 0; t < ups.length; t++) {
        ups[t] = preempted.charAt(t) == '0';
        prices[t] = (price.isArray() ? price.get(t) : price).asDouble();
      }
      names.add(zone.get("name").asText());
      up.add(ups);
      spot.add(prices);
      onDemand.add(zone.get("od_price").asDouble());
    }
    List<String> regions = names.stream().map(ArtifactEgress::region).toList();
    double[][] egress = new double[names.size()][names.size()];
    for (int i = 0; i < egress.length; i++) {
      for (int j = 0; j < egress.length; j++) {
        egress[i][j] = ArtifactEgress.perGb(regions.get(i), regions.get(j));
      }
    }
    return GangMarket.of(
        names,
        regions,
        hand.get("gap_seconds").asDouble(),
        up.toArray(boolean[][]::new),
        spot.toArray(double[][]::new),
        onDemand.stream().mapToDouble(Double::doubleValue).toArray(),
        egress);
  }

  static ArtifactCase given(JsonNode node, int startTick) {
    return new ArtifactCase(
        node.get("job_hours").asDouble(),
        node.get("deadline_hours").asDouble(),
        node.get("restart_hours").asDouble(),
        node.path("checkpoint_gb").asDouble(0),
        startTick);
  }

  static String ours(String policy) {
    return policy.equals("on_demand") ? "on-demand" : policy;
  }

  static double[] numbers(JsonNode array) {
    double[] numbers = new double[array.size()];
    Arrays.setAll(numbers, i -> array.get(i).isNull() ? Double.NaN : array.get(i).asDouble());
    return numbers;
  }
}

package io.deepvm.bench.scaling;

import de.siegmar.fastcsv.reader.NamedCsvRecord;
import io.deepvm.base.Bandwidth;
import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Hardware;
import io.deepvm.catalog.Interconnect;
import io.deepvm.workload.parallel.Collectives;
import io.deepvm.workload.parallel.NodeShape;
import io.deepvm.workload.parallel.Software;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * MLPerf submissions of one system with n and with 2n nodes: the second speed is predicted from the
 * first. Results derived from MLPerf; not verified by MLCommons.
 */
final class DoubledNodes {

  /** Bytes of the gradients that replicas exchange, 2 a parameter; others exchange little. */
  private static final Map<String, Double> GRADIENT_BYTES =
      Map.of(
          "bert", 668e6,
          "resnet", 51.2e6,
          "retinanet", 72.8e6,
          "ssd", 72.8e6,
          "maskrcnn", 88.8e6,
          "unet3d", 62.4e6,
          "rnnt", 240e6,
          "stable_diffusion", 1720e6,
          "llama2_70b_lora", 89.2e6);

  /** One network card a GPU: 400 Gbps since Hopper, 200 before. */
  private static final double NEW_CARD_GBPS = 400;

  private static final double OLD_CARD_GBPS = 200;

  private record Point(int nodes, double samplesPerSecond, double batch) {}

  private record Submission(String benchmark, String gpu, int gpus) {}

  private final Map<String, List<Point>> points = new TreeMap<>();
  private final Map<String, Submission> systems = new TreeMap<>();

  DoubledNodes(Reference reference) {
    for (NamedCsvRecord row : reference.rows("mlperf_training.csv")) {
      if (row.getField("throughput_median").isEmpty()
          || row.getField("global_batch").isEmpty()
          || row.getField("nodes").isEmpty()) {
        continue;
      }
      String key =
          String.join(
              "|",
              row.getField("round"),
              row.getField("submitter"),
              row.getField("benchmark"),
              row.getField("accelerator"),
              row.getField("accel_per_node"),
              row.getField("division"));
      double speed = Double.parseDouble(row.getField("throughput_median"));
      double batch = Double.parseDouble(row.getField("global_batch"));
      if (speed > 0 && batch > 0) {
        points
            .computeIfAbsent(key, k -> new ArrayList<>())
            .add(new Point((int) Double.parseDouble(row.getField("nodes")), speed, batch));
        systems.put(
            key,
            new Submission(
                row.getField("benchmark"),
                row.getField("accelerator"),
                Integer.parseInt(row.getField("accel_per_node"))));
      }
    }
  }

  /** Every pair, whatever its batch; none is left out as an outlier. */
  ErrorTable errors() {
    ErrorTable errors = new ErrorTable();
    points.forEach(
        (key, rows) -> {
          for (Point small : rows) {
            for (Point large : rows) {
              if (large.nodes == 2 * small.nodes) {
                double predicted = predict(Objects.requireNonNull(systems.get(key)), small, large);
                errors.add(large.samplesPerSecond, predicted, 2 * small.samplesPerSecond);
              }
            }
          }
        });
    return errors;
  }

  private static double predict(Submission system, Point known, Point asked) {
    double bytes = GRADIENT_BYTES.getOrDefault(system.benchmark, 0.0);
    NodeShape node = node(system);
    Software software = Software.PYTORCH;
    double step = known.batch / known.samplesPerSecond;
    double exchange = Collectives.allReduceSeconds(bytes, known.nodes, node);
    // step = compute + max(0, exchange - overlap x compute), solved for compute
    double hidden = software.overlap() * step;
    double compute = exchange <= hidden ? step : (step - exchange) / (1 - software.overlap());
    double share = (asked.batch / asked.nodes) / (known.batch / known.nodes);
    double then = software.batchSeconds(compute, share);
    double seconds =
        then
            + software.exposedSeconds(Collectives.allReduceSeconds(bytes, asked.nodes, node), then);
    return asked.batch / seconds;
  }

  private static NodeShape node(Submission system) {
    String name = system.gpu.toUpperCase(Locale.ROOT);
    boolean old = name.contains("A100") || name.contains("A30") || name.contains("V100");
    Gpu gpu = Hardware.gpu(old ? "A100" : name.contains("BLACKWELL") ? "B200" : "H100");
    Interconnect inside =
        name.contains("PCIE") ? Interconnect.PCIE_3 : Interconnect.of(Objects.requireNonNull(gpu));
    return new NodeShape(
        system.gpus,
        null,
        inside,
        Bandwidth.ofGbps(system.gpus * (old ? OLD_CARD_GBPS : NEW_CARD_GBPS)));
  }
}

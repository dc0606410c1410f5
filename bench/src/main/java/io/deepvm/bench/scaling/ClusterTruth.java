package io.deepvm.bench.scaling;

import io.deepvm.base.Bandwidth;
import io.deepvm.catalog.Interconnect;
import io.deepvm.studies.StudyRow;
import io.deepvm.studies.multicloud.MultiCloudStudy;
import io.deepvm.workload.parallel.DataParallel;
import io.deepvm.workload.parallel.NodeShape;
import io.deepvm.workload.parallel.Software;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Predicts measured clusters that were left out of the fits, and prints how far off that is. */
public final class ClusterTruth {

  private static final Path MEASURED = Path.of("..", "shared", "data", "throughput");

  /** DeepVM, figure 5: seconds of three epochs of ResNet-18 on CIFAR-10 by number of T4. */
  private static final Map<Integer, Double> DEEPVM =
      new TreeMap<>(
          Map.of(
              1, 61.155, 2, 59.041, 4, 43.985, 8, 26.898, 12, 19.956, 16, 16.338, 20, 14.146, 24,
              12.778, 28, 11.140, 32, 11.645));

  private static final double DEEPVM_STEPS = 50_000.0 / 128;
  private static final double RESNET18_BYTES = 44.7e6;

  /** spotDNN, figure 2(b): VGG-19 by number of T4 of one node, samples a second. */
  private static final Map<Integer, Double> SPOTDNN =
      new TreeMap<>(Map.of(1, 25.0, 2, 47.0, 4, 87.0, 8, 152.0));

  private static final double VGG19_BYTES = 574e6;

  private ClusterTruth() {}

  public static void main(String[] args) {
    Reference reference = new Reference(MEASURED);
    System.out.println(
        """
        Clusters. Errors are |predicted / measured - 1|; 'simply' predicts without exchanges, or
        twice the speed for twice the nodes.
        """);
    System.out.println(ErrorTable.header());
    SiaPlacements sia = new SiaPlacements(reference);
    System.out.println(sia.placementsLeftOut().line("Sia step times, placements left out"));
    System.out.println(sia.modelsLeftOut().line("Sia step times, models left out"));
    System.out.println(
        new DoubledNodes(reference).errors().line("MLPerf at twice the nodes (unverified)"));
    System.out.println(
        new ServerClusters(reference).leftOut().line("CM-DARE speeds, cluster left out"));
    System.out.println(deepvm().line("DeepVM figure 5, T4, not fitted but one hop"));
    System.out.println(spotdnn().line("spotDNN figure 2(b), T4 of one node"));
    System.out.println();
    System.out.println(sia.found());
    System.out.println();
    System.out.println("Averaging across clouds, the study's runs:");
    for (StudyRow row : MultiCloudStudy.beside(Path.of("")).rows()) {
      if (row.name().contains("left out at a time") && row.ours() != null) {
        System.out.printf(Locale.ROOT, "%-60s %5.1f%%%n", row.name(), 100 * row.ours());
      }
    }
  }

  static ErrorTable deepvm() {
    double alone = DEEPVM.getOrDefault(1, 0.0) / 3 / Math.ceil(DEEPVM_STEPS);
    NodeShape node = new NodeShape(1, null, Interconnect.PCIE_3, Bandwidth.ofGbps(5));
    DataParallel cluster = new DataParallel(node, Software.PYTORCH, RESNET18_BYTES);
    ErrorTable errors = new ErrorTable();
    DEEPVM.forEach(
        (nodes, seconds) -> {
          double steps = 3 * Math.ceil(DEEPVM_STEPS / nodes);
          errors.add(seconds, steps * cluster.stepSeconds(nodes, alone, 1), steps * alone);
        });
    return errors;
  }

  static ErrorTable spotdnn() {
    double one = SPOTDNN.getOrDefault(1, 0.0);
    ErrorTable errors = new ErrorTable();
    SPOTDNN.forEach(
        (gpus, speed) -> {
          NodeShape node = new NodeShape(gpus, null, Interconnect.PCIE_3, null);
          DataParallel cluster = new DataParallel(node, Software.HOST_SUM, VGG19_BYTES);
          errors.add(speed, one * cluster.speedup(1, 64 / one, 1), one * gpus);
        });
    return errors;
  }
}

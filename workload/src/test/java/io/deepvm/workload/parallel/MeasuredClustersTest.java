package io.deepvm.workload.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.Bandwidth;
import io.deepvm.catalog.Interconnect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clusters that papers measured, predicted from one GPU's speed and the size of the gradients. */
final class MeasuredClustersTest {

  /** DeepVM, figure 5: ResNet-18 on CIFAR-10, 128 images a GPU, three epochs in 61.155 s. */
  private static final double T4_STEP = 61.155 / (3 * 391);

  private static final double RESNET18_BYTES = 11.17e6 * 4;

  private static DataParallel g4dn() {
    return new DataParallel(node(1, Bandwidth.ofGbps(5)), Software.PYTORCH, RESNET18_BYTES);
  }

  private static NodeShape node(int gpus, Bandwidth network) {
    return new NodeShape(gpus, null, Interconnect.PCIE_3, network);
  }

  @Test
  void seventeenT4AreAsFastAsDeepVmMeasured() {
    assertThat(g4dn().speedup(17, T4_STEP, 1)).isEqualTo(3.92, within(0.392));
  }

  @ParameterizedTest
  @CsvSource({
    "2, 59.041",
    "4, 43.985",
    "8, 26.898",
    "12, 19.956",
    "16, 16.338",
    "20, 14.146",
    "24, 12.778",
    "28, 11.140",
    "32, 11.645"
  })
  void theWholeCurveOfDeepVmIsWithinTenPercent(int nodes, double measuredSeconds) {
    // Each epoch has as many steps as the slowest node has batches.
    double steps = 3 * Math.ceil(50_000.0 / 128 / nodes);
    double predicted = steps * g4dn().stepSeconds(nodes, T4_STEP, 1);

    assertThat(predicted).isEqualTo(measuredSeconds, within(0.1 * measuredSeconds));
  }

  @ParameterizedTest
  @CsvSource({"1, 25", "2, 47", "4, 87", "8, 152"})
  void nodesOfSeveralT4AreAsFastAsSpotDnnMeasured(int gpus, double samplesPerSecond) {
    // VGG-19 on ImageNet, 64 images a GPU, gradients of 574 MB, figure 2(b)
    double alone = 64 / 25.0;
    DataParallel host =
        new DataParallel(node(gpus, Bandwidth.ofGbps(25)), Software.HOST_SUM, 574e6);

    assertThat(25 * host.speedup(1, alone, 1))
        .isEqualTo(samplesPerSecond, within(0.03 * samplesPerSecond));
  }

  @Test
  void eightT4OfOneNodeReachTheSpeedUpOfSpotDnn() {
    DataParallel host = new DataParallel(node(8, Bandwidth.ofGbps(25)), Software.HOST_SUM, 574e6);

    assertThat(host.speedup(1, 64 / 25.0, 1)).isEqualTo(6.08, within(0.06));
  }
}

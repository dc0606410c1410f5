package io.deepvm.workload.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.catalog.Interconnect;
import io.deepvm.catalog.Precision;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Language models that LLM-Foundry (Apache-2.0) trained with FSDP, 2,048 tokens a sample, on nodes
 * of eight GPUs: its table of throughputs, read in November 2026.
 */
final class ShardedModelsTest {

  private static ClusterModel cluster(
      double parameters, double gib, double gbps, int batch, double samplesPerSecond) {
    NodeShape node =
        new NodeShape(
            8,
            DataSize.ofGib(gib),
            new Interconnect(Interconnect.Kind.NVLINK, gib == 80 ? 450e9 : 300e9),
            Bandwidth.ofGbps(gbps));
    ModelNeeds needs =
        ModelNeeds.of(parameters, Precision.BF16, Optimizer.ADAM, 6 * parameters * 2048, null);
    return new ClusterModel(
        needs, node, Software.PYTORCH, new BatchRule(batch, null), 1 / samplesPerSecond, true);
  }

  @ParameterizedTest
  @CsvSource({
    "125.3e6, 40, 26, 8", "1.316e9, 40, 8, 8", "12.85e9, 40, 4, 8", "12.85e9, 80, 2, 8",
    "12.85e9, 80, 2, 16", "64.86e9, 80, 2, 32", "64.86e9, 40, 2, 64", "64.86e9, 80, 8, 512"
  })
  void whatWasTrainedFits(double parameters, double gib, int batch, int gpus) {
    assertThat(cluster(parameters, gib, 1600, batch, 1).best(gpus / 8)).isNotNull();
  }

  @Test
  void seventyBillionParametersDoNotFitEightGpusOf80Gib() {
    assertThat(cluster(64.86e9, 80, 1600, 1, 1).best(1)).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    // parameters, GiB, Gbps, batch, GPUs and tokens/s of the known row, of the predicted one
    "12.85e9, 80, 3200, 2, 16, 76280, 64, 307209",
    "12.85e9, 80, 3200, 16, 128, 650264, 512, 2535811",
    "64.86e9, 80, 3200, 8, 128, 135490, 512, 515636",
    "12.85e9, 40, 1600, 16, 64, 126479, 128, 252444",
    "1.316e9, 80, 3200, 20, 16, 736596, 64, 2841754",
    "1.316e9, 80, 3200, 12, 128, 5647854, 512, 20396905",
    "125.3e6, 40, 1600, 26, 16, 2088560, 128, 15863837"
  })
  void moreNodesAreAsFastAsMeasured(
      double parameters,
      double gib,
      double gbps,
      int batch,
      int knownGpus,
      double knownTokens,
      int gpus,
      double tokens) {
    // The speed of one GPU alone is not published: it follows from the smaller cluster.
    double guess = knownTokens / 2048 / knownGpus;
    ClusterModel model = cluster(parameters, gib, gbps, batch, guess);
    for (int i = 0; i < 20; i++) {
      double known = speed(model, knownGpus);
      model = model.at(knownTokens / 2048 / known / model.secondsPerSample());
    }

    assertThat(2048 * speed(model, gpus)).isEqualTo(tokens, within(0.12 * tokens));
  }

  private static double speed(ClusterModel model, int gpus) {
    return Objects.requireNonNull(model.best(gpus / 8)).samplesPerSecond();
  }
}

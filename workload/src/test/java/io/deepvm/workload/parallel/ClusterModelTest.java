package io.deepvm.workload.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.catalog.Interconnect;
import io.deepvm.catalog.Precision;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ClusterModelTest {

  private static final double TFLOPS = 1e12;

  /** 2,048 tokens a sample. */
  private static ModelNeeds language(double parameters, Optimizer optimizer) {
    return ModelNeeds.of(parameters, Precision.BF16, optimizer, 6 * parameters * 2048, null);
  }

  private static ClusterModel model(
      ModelNeeds needs, NodeShape node, double flops, @Nullable Integer mostSamples) {
    double seconds = 6 * needs.parameters() * 2048 / (0.4 * flops);
    return new ClusterModel(
        needs, node, Software.PYTORCH, new BatchRule(4, mostSamples), seconds, true);
  }

  private static NodeShape node(int gpus, double gib, Interconnect interconnect, double gbps) {
    return new NodeShape(gpus, DataSize.ofGib(gib), interconnect, Bandwidth.ofGbps(gbps));
  }

  private static Interconnect nvlink() {
    return new Interconnect(Interconnect.Kind.NVLINK, 450e9);
  }

  private static Split best(ClusterModel model, int nodes) {
    return Objects.requireNonNull(model.best(nodes));
  }

  @Test
  void sevenBillionParametersOverSlowNetworkAreBelowOneSampleASecondWithoutAccumulation() {
    NodeShape g6e = node(1, 48, Interconnect.PCIE_3, 2.5);
    ModelNeeds llama = language(6.74e9, Optimizer.ADAM_8BIT);
    double seconds = 6 * llama.parameters() * 2048 / (0.4 * 362 * TFLOPS);
    DataParallel exchange = new DataParallel(g6e, Software.PYTORCH, llama.gradientBytes());

    double alone = 8 * 4 / exchange.stepSeconds(8, 4 * seconds, 1);
    int needed = exchange.accumulationNeeded(8, 4 * seconds);

    assertThat(alone).isBetween(0.3, 0.5);
    assertThat(needed).isGreaterThan(100);
    assertThat(exchange.speedup(8, 4 * seconds, needed))
        .isGreaterThanOrEqualTo(0.9 * 8 * (1 - 1e-9));
    assertThat(exchange.speedup(8, 4 * seconds, needed - 1)).isLessThan(0.9 * 8);
  }

  @Test
  void noSevenBillionModelFitsSixteenGibWithoutSharding() {
    ClusterModel model =
        model(language(6.74e9, Optimizer.ADAM), node(1, 16, Interconnect.PCIE_3, 25), 65e12, null);

    for (int nodes = 1; nodes <= 64; nodes++) {
      Split split = model.best(nodes);
      assertThat(split == null || split.sharding().stage() > 0 || split.pipeline() > 1).isTrue();
    }
    assertThat(model.best(1)).isNull();
    assertThat(best(model, 16).memory().fits(DataSize.ofGib(16))).isTrue();
  }

  @Test
  void seventyBillionParametersTrainOnFourNodesOfEightH100() {
    ClusterModel model =
        model(language(70e9, Optimizer.ADAM), node(8, 80, nvlink(), 3200), 989e12, 512);

    Split split = best(model, 4);

    assertThat(model.best(1)).isNull();
    assertThat(split.isPlain()).isFalse();
    assertThat(split.memory().fits(DataSize.ofGib(80))).isTrue();
    // 6 x 70e9 x 2048 operations a sample at 40 % of 32 x 989 TFLOPS would make 14.7 samples/s
    assertThat(split.samplesPerSecond()).isBetween(5.0, 14.7);
  }

  @Test
  void slowLinksMakeTheModelStayInsideTheNode() {
    ModelNeeds needs = language(13e9, Optimizer.ADAM);
    Split slow = best(model(needs, node(8, 80, nvlink(), 25), 989e12, 512), 4);
    Split fast = best(model(needs, node(8, 80, nvlink(), 3200), 989e12, 512), 4);

    assertThat(slow.sharding().stage() == 0 || slow.sharding().insideNode()).isTrue();
    assertThat(fast.samplesPerSecond()).isGreaterThan(slow.samplesPerSecond());
  }

  @Test
  void aModelThatFitsIsNotSplit() {
    Split split =
        best(model(language(350e6, Optimizer.ADAM), node(8, 80, nvlink(), 100), 989e12, null), 4);

    assertThat(split.isPlain()).isTrue();
    assertThat(split.describe()).isEqualTo("every GPU holds the whole model");
  }

  @Test
  void aBatchThatDoesNotFitIsTakenInSmallerMicroBatches() {
    ModelNeeds needs = new ModelNeeds(1e9, 2, 12, 3e9, 1e6, 24);
    Split split = best(model(needs, node(1, 24, Interconnect.PCIE_3, 25), 125e12, null), 1);

    assertThat(split.batching()).isEqualTo(new Batching(2, 2, 1));
    assertThat(split.isPlain()).isTrue();
  }

  @Test
  void aSplitThatLeavesRoomForALargerBatchBeatsWholeModels() {
    // Whole, a GPU has room for one of 32 samples.
    ModelNeeds needs = new ModelNeeds(1.2e9, 2, 12, 4e9, 1e6, 24);
    ClusterModel model =
        new ClusterModel(
            needs,
            node(8, 24, nvlink(), 100),
            Software.PYTORCH,
            new BatchRule(32, null),
            0.1,
            true);

    Split split = best(model, 1);

    assertThat(needs.whole(1).fits(DataSize.ofGib(24))).isTrue();
    assertThat(needs.whole(2).fits(DataSize.ofGib(24))).isFalse();
    assertThat(split.isPlain()).isFalse();
    assertThat(split.batching().microBatch()).isGreaterThan(1);
    // one sample at a time takes 0.12 x 32 + 0.88 times as long
    assertThat(split.samplesPerSecond()).isGreaterThan(8 / (0.1 * 1.1 * 4.72));
  }

  @Test
  void stagesOverASlowNetworkTakeWhatTheFormulaSays() {
    ModelNeeds needs = new ModelNeeds(30e9, 2, 12, 4e9, 32e6, 64);
    ClusterModel model =
        new ClusterModel(
            needs,
            node(1, 80, Interconnect.PCIE_3, 10),
            Software.PYTORCH,
            new BatchRule(4, 64),
            1,
            true);

    Split split = best(model, 8);

    assertThat(split.pipeline()).isEqualTo(8);
    assertThat(split.tensor()).isEqualTo(1);
    // 64 samples in micro-batches of one eighth of the layers, handed on in both directions
    int micro = split.batching().microBatch();
    double compute = (0.12 * 4 + 0.88 * micro) / 8 * (split.recompute() ? 4.0 / 3 : 1);
    double handOver = 2 * micro * 32e6 / 1.25e9;
    double steps = 64.0 / micro + 7;
    assertThat(split.stepSeconds()).isCloseTo(steps * (compute + handOver), within(1e-9));
  }

  @Test
  void layersSharedByTheGpusOfANodeTakeWhatTheFormulaSays() {
    ModelNeeds needs = new ModelNeeds(30e9, 2, 12, 8e9, 64e6, 64);
    // One sample a step leaves room for one replica only.
    ClusterModel model =
        new ClusterModel(
            needs, node(8, 80, nvlink(), 100), Software.PYTORCH, new BatchRule(1, 1), 1, true);

    Split split = best(model, 1);

    assertThat(split.tensor()).isEqualTo(8);
    // four sums of 64 MB a layer, of which each GPU sends and receives 2 x 7 / 8
    double sums = 4 * 64 * 2 * 7 / 8.0 * 64e6 / (0.8 * 450e9);
    double compute = (1 + 0.1 * 7 / 8) / 8;
    assertThat(split.stepSeconds()).isCloseTo(compute + sums, within(1e-9));
  }

  @Test
  void theInputPipelineCanBeTheSlowestPart() {
    ModelNeeds needs = new ModelNeeds(25e6, 2, 12, 1e6, 1e3, 10);
    NodeShape node = node(8, 80, nvlink(), 100);
    ClusterModel free =
        new ClusterModel(needs, node, Software.PYTORCH, new BatchRule(32, null), 1e-3, true);
    ClusterModel starved =
        new ClusterModel(needs, node, Software.PYTORCH, new BatchRule(32, null, 2000), 1e-3, true);

    assertThat(best(free, 1).samplesPerSecond()).isGreaterThan(7000);
    assertThat(best(starved, 1).samplesPerSecond()).isLessThanOrEqualTo(2000);
  }

  @Test
  void theGrowthIsThatOverOneNodeWhereOneHoldsTheModel() {
    ClusterModel small =
        model(language(350e6, Optimizer.ADAM), node(8, 80, nvlink(), 3200), 989e12, null);
    ClusterModel large =
        model(language(70e9, Optimizer.ADAM), node(8, 80, nvlink(), 3200), 989e12, 512);

    assertThat(small.timesOneNode(1)).isEqualTo(1);
    assertThat(small.timesOneNode(4)).isBetween(3.0, 4.0);
    assertThat(large.timesOneNode(1)).isZero();
    assertThat(large.timesOneNode(4)).isBetween(1.5, 4.0);
  }

  @Test
  void severalNodesWithoutAKnownNetworkHaveNoAnswer() {
    ClusterModel model =
        new ClusterModel(
            language(350e6, Optimizer.ADAM),
            new NodeShape(1, DataSize.ofGib(80), Interconnect.PCIE_3, null),
            Software.PYTORCH,
            new BatchRule(4, null),
            0.1,
            true);

    assertThat(model.best(1)).isNotNull();
    assertThat(model.best(2)).isNull();
  }
}

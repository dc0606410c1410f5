package io.deepvm.workload.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.catalog.Interconnect;
import java.util.Objects;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;

final class ParallelProperties {

  private static NodeShape node(int gpus, Interconnect.Kind kind, double gbps) {
    return new NodeShape(
        gpus, DataSize.ofGib(40), new Interconnect(kind, 20e9), Bandwidth.ofGbps(gbps));
  }

  @Property
  void moreBandwidthIsNeverSlower(
      @ForAll @IntRange(min = 2, max = 64) int nodes,
      @ForAll @IntRange(min = 1, max = 8) int gpus,
      @ForAll Interconnect.Kind kind,
      @ForAll @DoubleRange(min = 0.1, max = 400) double gbps,
      @ForAll @DoubleRange(min = 1, max = 10) double more,
      @ForAll @DoubleRange(min = 1e6, max = 1e10) double bytes,
      @ForAll @IntRange(min = 1, max = 10_000) int milliseconds) {
    DataParallel slow = new DataParallel(node(gpus, kind, gbps), Software.PYTORCH, bytes);
    DataParallel fast = new DataParallel(node(gpus, kind, gbps * more), Software.PYTORCH, bytes);

    assertThat(fast.stepSeconds(nodes, milliseconds / 1e3, 1))
        .isLessThanOrEqualTo(slow.stepSeconds(nodes, milliseconds / 1e3, 1));
  }

  @Property
  void oneGpuAloneIsAsFastAsItself(
      @ForAll @DoubleRange(min = 1e6, max = 1e11) double bytes,
      @ForAll @IntRange(min = 1, max = 10_000) int milliseconds,
      @ForAll @IntRange(min = 1, max = 64) int accumulation) {
    DataParallel one =
        new DataParallel(node(1, Interconnect.Kind.PCIE, 10), Software.PYTORCH, bytes);

    assertThat(one.speedup(1, milliseconds / 1e3, accumulation)).isEqualTo(1, within(1e-9));
  }

  @Property
  void noClusterIsFasterThanItsGpusAlone(
      @ForAll @IntRange(min = 1, max = 64) int nodes,
      @ForAll @IntRange(min = 1, max = 8) int gpus,
      @ForAll Interconnect.Kind kind,
      @ForAll @DoubleRange(min = 1e6, max = 1e10) double bytes,
      @ForAll @IntRange(min = 1, max = 10_000) int milliseconds,
      @ForAll @IntRange(min = 1, max = 64) int accumulation) {
    DataParallel cluster = new DataParallel(node(gpus, kind, 10), Software.PYTORCH, bytes);

    assertThat(cluster.speedup(nodes, milliseconds / 1e3, accumulation))
        .isLessThanOrEqualTo(nodes * gpus * (1 + 1e-12));
  }

  @Property
  void moreAccumulationIsNeverSlower(
      @ForAll @IntRange(min = 1, max = 64) int nodes,
      @ForAll @DoubleRange(min = 1e6, max = 1e10) double bytes,
      @ForAll @IntRange(min = 1, max = 10_000) int milliseconds,
      @ForAll @IntRange(min = 1, max = 64) int accumulation) {
    DataParallel cluster =
        new DataParallel(node(4, Interconnect.Kind.PCIE, 10), Software.PYTORCH, bytes);

    assertThat(cluster.speedup(nodes, milliseconds / 1e3, accumulation + 1))
        .isGreaterThanOrEqualTo(
            cluster.speedup(nodes, milliseconds / 1e3, accumulation) * (1 - 1e-12));
  }

  @Property
  void aModelThatFitsTrainsByTheFormulaOfDataParallelTraining(
      @ForAll @IntRange(min = 1, max = 64) int nodes,
      @ForAll @IntRange(min = 1, max = 8) int gpus,
      @ForAll Interconnect.Kind kind,
      @ForAll @DoubleRange(min = 1e6, max = 1e8) double parameters,
      @ForAll @IntRange(min = 1, max = 1000) int samplesPerSecond) {
    ModelNeeds needs = new ModelNeeds(parameters, 2, 12, 1e6, 1e4, 12);
    NodeShape node = node(gpus, kind, 10);
    Split split =
        Objects.requireNonNull(
            new ClusterModel(
                    needs,
                    node,
                    Software.PYTORCH,
                    new BatchRule(32, null),
                    1.0 / samplesPerSecond,
                    true)
                .best(nodes));
    DataParallel formula = new DataParallel(node, Software.PYTORCH, needs.gradientBytes());

    double expected = formula.stepSeconds(nodes, 32.0 / samplesPerSecond, 1);
    assertThat(split.stepSeconds()).isEqualTo(expected, within(1e-9 * expected));
  }

  @Property(tries = 200)
  void everySplitFitsTheMemoryAndMoreMemoryIsNeverSlower(
      @ForAll @IntRange(min = 1, max = 32) int nodes,
      @ForAll @DoubleRange(min = 1e8, max = 1e11) double parameters,
      @ForAll @DoubleRange(min = 1, max = 4) double more) {
    ModelNeeds needs = new ModelNeeds(parameters, 2, 12, 1e9, 1.6e7, 32);
    Split small = best(needs, nodes, 24);

    if (small != null) {
      Split large = Objects.requireNonNull(best(needs, nodes, 24 * more));
      assertThat(small.memory().fits(DataSize.ofGib(24))).isTrue();
      boolean unsplit = large.isPlain();
      // A model that fits is not split, though splitting may be faster over a slow network.
      assertThat(unsplit || large.samplesPerSecond() >= small.samplesPerSecond() * (1 - 1e-9))
          .isTrue();
    }
  }

  private static @Nullable Split best(ModelNeeds needs, int nodes, double gib) {
    NodeShape node =
        new NodeShape(
            8,
            DataSize.ofGib(gib),
            new Interconnect(Interconnect.Kind.NVLINK, 300e9),
            Bandwidth.ofGbps(100));
    return new ClusterModel(
            needs, node, Software.PYTORCH, new BatchRule(4, null), 1e-10 * needs.parameters(), true)
        .best(nodes);
  }
}

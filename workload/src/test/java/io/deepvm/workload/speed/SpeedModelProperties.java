package io.deepvm.workload.speed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Hardware;
import io.deepvm.catalog.Precision;
import io.deepvm.catalog.speed.MeasuredSpeed;
import io.deepvm.catalog.speed.SpeedSource;
import java.util.List;
import java.util.Objects;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;

final class SpeedModelProperties {

  @Provide
  Arbitrary<String> gpus() {
    return Arbitraries.of("T4", "V100", "A10G", "L4", "A100-80GB", "L40S", "H100", "B200");
  }

  private static MeasuredSpeed row(String gpu, int batch, double speed) {
    return new MeasuredSpeed(
        "net",
        Objects.requireNonNull(Hardware.gpu(gpu)),
        1,
        Precision.FP16,
        batch,
        null,
        speed,
        new SpeedSource("mine", "", false));
  }

  private static SpeedEstimate ask(List<MeasuredSpeed> rows, String gpu, int batch) {
    Gpu asked = Objects.requireNonNull(Hardware.gpu(gpu));
    return Objects.requireNonNull(
        MeasuredSpeedModel.builtIn()
            .with(rows)
            .of(ModelShape.named("net"), asked, Precision.FP16, batch));
  }

  @Property(tries = 100)
  void theIntervalHoldsTheSpeedAndAMeasurementIsSurerThanARelative(
      @ForAll("gpus") String measured,
      @ForAll("gpus") String asked,
      @ForAll @IntRange(min = 1, max = 512) int batch,
      @ForAll @DoubleRange(min = 0.1, max = 1e5) double speed) {
    SpeedEstimate estimate = ask(List.of(row(measured, batch, speed)), asked, batch);
    assertThat(estimate.low()).isPositive().isLessThan(estimate.samplesPerSecond());
    assertThat(estimate.high()).isFinite().isGreaterThan(estimate.samplesPerSecond());
    if (measured.equals(asked)) {
      assertThat(estimate.samplesPerSecond()).isCloseTo(speed, within(1e-9 * speed));
      assertThat(estimate.basis()).isEqualTo(SpeedBasis.MEASURED);
    } else {
      assertThat(estimate.basis()).isEqualTo(SpeedBasis.RELATIVE);
      assertThat(estimate.high() / estimate.low()).isGreaterThan(1.2);
    }
  }

  @Property(tries = 100)
  void aStepOfALargerBatchTakesNoLessAndALargerBatchIsNoSlowerASample(
      @ForAll @IntRange(min = 1, max = 128) int small,
      @ForAll @IntRange(min = 1, max = 8) int times,
      @ForAll @DoubleRange(min = 1, max = 1e4) double speed) {
    List<MeasuredSpeed> rows = List.of(row("T4", 64, speed));
    double before = ask(rows, "T4", small).samplesPerSecond();
    double after = ask(rows, "T4", small * times).samplesPerSecond();
    assertThat(after).isGreaterThanOrEqualTo(before * (1 - 1e-9));
    assertThat(small * times / after).isGreaterThanOrEqualTo(small / before * (1 - 1e-9));
  }
}

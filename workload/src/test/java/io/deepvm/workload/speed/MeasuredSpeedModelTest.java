package io.deepvm.workload.speed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Hardware;
import io.deepvm.catalog.Precision;
import io.deepvm.catalog.speed.MeasuredSpeed;
import io.deepvm.catalog.speed.MeasuredSpeeds;
import io.deepvm.catalog.speed.ModelNames;
import io.deepvm.catalog.speed.SpeedSource;
import io.deepvm.workload.ModelSize;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MeasuredSpeedModelTest {

  private static final MeasuredSpeedModel BUILT_IN = MeasuredSpeedModel.builtIn();
  private static final ModelShape RESNET50 = ModelPresets.named("resnet50").shape();

  private static Gpu gpu(String name) {
    return Objects.requireNonNull(Hardware.gpu(name), name);
  }

  private static SpeedEstimate ask(
      MeasuredSpeedModel speeds,
      ModelShape model,
      String gpu,
      Precision precision,
      @Nullable Integer batch) {
    return Objects.requireNonNull(speeds.of(model, gpu(gpu), precision, batch));
  }

  private static MeasuredSpeed own(String gpu, @Nullable Integer batch, double speed) {
    SpeedSource mine = new SpeedSource("mine", "2026-11", false);
    return new MeasuredSpeed("net", gpu(gpu), 1, Precision.FP16, batch, null, speed, mine);
  }

  @Test
  void aMeasurementIsAnsweredAsItIsAndNamed() {
    SpeedEstimate estimate = ask(BUILT_IN, RESNET50, "T4", Precision.FP32, 32);
    assertThat(estimate.basis()).isEqualTo(SpeedBasis.MEASURED);
    assertThat(estimate.rows()).extracting(row -> row.source().name()).containsExactly("profet");
    assertThat(estimate.samplesPerSecond())
        .isCloseTo(estimate.rows().get(0).samplesPerSecond(), within(1e-9));
  }

  @Test
  void anA10gIsAboutTwoTeslaT4ForResNet50() {
    double a10g = ask(BUILT_IN, RESNET50, "A10G", Precision.FP16, 64).samplesPerSecond();
    double t4 = ask(BUILT_IN, RESNET50, "T4", Precision.FP16, 64).samplesPerSecond();
    assertThat(a10g / t4).isBetween(1.7, 2.2);
  }

  @Test
  void theUsersOwnMeasurementWinsOverPublishedOnesOfTheSameModel() {
    MeasuredSpeedModel speeds =
        BUILT_IN.without("net").with(List.of(own("A100", 64, 1000), own("T4", 64, 100)));
    ModelShape net = ModelShape.named("net");
    assertThat(ask(speeds, net, "A100", Precision.FP16, 64).samplesPerSecond())
        .isCloseTo(1000, within(1e-6));
    assertThat(ask(speeds, net, "T4", Precision.FP16, 64).samplesPerSecond())
        .isCloseTo(100, within(1e-6));
    assertThat(ask(speeds, net, "V100", Precision.FP16, 64).basis()).isEqualTo(SpeedBasis.RELATIVE);
  }

  @Test
  void aRelativeIsScaledByWhatWasMeasuredNotByFlops() {
    MeasuredSpeedModel speeds = BUILT_IN.with(List.of(own("T4", 64, 100)));
    double a10g =
        ask(speeds, ModelShape.named("net"), "A10G", Precision.FP16, 64).samplesPerSecond();
    // 70 over 65 TFLOPS would be 1.08, 600 over 320 GB/s are 1.88
    assertThat(a10g).isBetween(150.0, 230.0);
  }

  @Test
  void aStrangerModelIsScaledFromItsLikeInFlopOrByPeakFlops() {
    ModelShape strange = new ModelShape("strange", null, 2.5e10, null, 224);
    assertThat(ask(BUILT_IN, strange, "A100-80GB", Precision.FP16, 64).basis())
        .isEqualTo(SpeedBasis.RELATIVE);
    ModelShape tiny = new ModelShape("tiny", null, 1e3, null, null);
    SpeedEstimate byPeak = ask(BUILT_IN, tiny, "A100", Precision.FP16, 64);
    assertThat(byPeak.basis()).isEqualTo(SpeedBasis.FLOPS);
    assertThat(byPeak.rows()).isEmpty();
    assertThat(byPeak.samplesPerSecond()).isCloseTo(0.35 * 312e12 / 1e3, within(1e3));
  }

  @Test
  void nothingIsSaidWhereNothingIsKnown() {
    assertThat(BUILT_IN.of(ModelShape.named("strange"), gpu("A100"), Precision.FP16, 64)).isNull();
  }

  @Test
  void rowsOfThisNumberOfGpusComeFirst() {
    SpeedEstimate eight =
        Objects.requireNonNull(
            BUILT_IN.answer(
                new SpeedQuestion(
                    ModelPresets.named("bert-large").shape(), gpu("H100"), 8, Precision.FP8, 96)));
    assertThat(eight.basis()).isEqualTo(SpeedBasis.MEASURED);
    assertThat(eight.rows()).allMatch(row -> row.gpus() == 8 && row.source().unverified());
    assertThat(eight.samplesPerSecond()).isBetween(7000.0, 8200.0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ResNet18", "ResNet50", "VGG13", "InceptionResNetV2"})
  void aModelNobodyMeasuredButOnOneAwsTypeIsPredictedOnTheOthers(String model) {
    List<MeasuredSpeed> others =
        MeasuredSpeeds.builtIn().stream()
            .filter(
                row ->
                    row.source().name().equals("profet")
                        && !ModelNames.spelling(row.model()).equals(ModelNames.spelling(model)))
            .toList();
    List<MeasuredSpeed> own =
        MeasuredSpeeds.builtIn().stream()
            .filter(row -> row.source().name().equals("profet") && row.model().equals(model))
            .toList();
    MeasuredSpeedModel speeds =
        new MeasuredSpeedModel(others, List.of())
            .with(own.stream().filter(row -> row.gpu().name().equals("T4")).toList());
    double sum = 0;
    int count = 0;
    for (MeasuredSpeed row : own) {
      if (!row.gpu().name().equals("T4")) {
        ModelShape shape = new ModelShape(model, null, null, null, row.sampleSize());
        double predicted =
            ask(speeds, shape, row.gpu().name(), Precision.FP32, row.batch()).samplesPerSecond();
        sum += Math.abs(row.samplesPerSecond() / predicted - 1);
        count++;
      }
    }
    assertThat(sum / count).as("mean error of step times").isLessThan(0.11);
  }

  @Test
  void aStepOfManyTensorsWaitsForTheHostAndGainsLessFromAFasterGpu() {
    MeasuredSpeed known =
        new MeasuredSpeed(
            "mynet", gpu("T4"), 1, Precision.FP32, 16, 32, 550, new SpeedSource("own", "", false));
    MeasuredSpeedModel speeds = BUILT_IN.with(List.of(known));
    double few = onV100(speeds, new ModelSize(2e7, 30));
    double many = onV100(speeds, new ModelSize(2e7, 300));
    assertThat(many).isLessThan(0.9 * few);
    assertThat(onV100(speeds, null)).isPositive();
  }

  private static double onV100(MeasuredSpeedModel speeds, @Nullable ModelSize size) {
    ModelShape shape = new ModelShape("mynet", size, null, null, 32);
    return ask(speeds, shape, "V100", Precision.FP32, 16).samplesPerSecond();
  }

  @Test
  void questionsThatNoMachineAsksAreRefused() {
    assertThatThrownBy(() -> new SpeedQuestion(RESNET50, gpu("T4"), 0, Precision.FP16, 1))
        .isInstanceOf(BadInput.class);
    assertThatThrownBy(() -> new SpeedQuestion(RESNET50, gpu("T4"), 1, Precision.FP16, 0))
        .isInstanceOf(BadInput.class);
  }
}

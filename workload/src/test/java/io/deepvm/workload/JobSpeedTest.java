package io.deepvm.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.DataSize;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Hardware;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Precision;
import io.deepvm.workload.speed.ModelPresets;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class JobSpeedTest {

  private static final Machine T4 = machine("g4dn.xlarge", "T4", 1, null);
  private static final Machine A10G = machine("g5.xlarge", "A10G", 1, null);
  private static final Machine FOUR_A10G = machine("g5.12xlarge", "A10G", 4, null);

  private static Machine machine(String name, String gpu, int count, @Nullable Double stated) {
    Gpus gpus = new Gpus(Objects.requireNonNull(Hardware.gpu(gpu)), count);
    return new Machine("aws", name, "g", 4, DataSize.ofGib(16), gpus, null, null, stated, null);
  }

  private static JobSpeed speeds(Job job) {
    return JobSpeed.of(job, List.of(T4, A10G, FOUR_A10G));
  }

  private static double samples(Job job, JobSpeed speeds, Machine machine) {
    Double flops = speeds.flops(machine);
    return Objects.requireNonNull(
        Objects.requireNonNull(job.work()).samplesPerSecondAt(Objects.requireNonNull(flops)));
  }

  @Test
  void aJobThatSaysNothingIsRankedByItsDatasheet() {
    assertThat(speeds(Job.UNSTATED).flops(T4)).isEqualTo(65e12);
    assertThat(speeds(Job.UNSTATED).describe(T4)).isNull();
  }

  @Test
  void whatTheJobMeasuredIsWhatThePlanStates() {
    Job job =
        JobFile.parse(
            "job",
            """
            samplesPerSecond: {T4: 100, g5.12xlarge: 640}
            work: {samples: 1e6, flopPerSample: 2e10}
            """);
    JobSpeed speeds = speeds(job);
    assertThat(samples(job, speeds, T4)).isCloseTo(100, within(1e-6));
    assertThat(samples(job, speeds, FOUR_A10G)).isCloseTo(640, within(1e-6));
    assertThat(samples(job, speeds, A10G)).isBetween(130.0, 230.0);
    assertThat(speeds.describe(FOUR_A10G)).contains("640 samples/s, as the job measured");
  }

  @Test
  void measurementsOfAveragingCountInEveryArchitecture() {
    Job job =
        JobFile.parse(
            "job",
            """
            averaging: {samplesPerSecond: {T4: 100}, microBatch: 32}
            work: {samples: 1e6, flopPerSample: 2e10}
            """);
    assertThat(samples(job, speeds(job), T4)).isCloseTo(100, within(1e-6));
  }

  @Test
  void withoutWorkTheRatiosAreStillThoseOfTheMeasurements() {
    JobSpeed speeds = speeds(JobFile.parse("job", "samplesPerSecond: {T4: 100, A10G: 190}"));
    assertThat(
            Objects.requireNonNull(speeds.flops(A10G)) / Objects.requireNonNull(speeds.flops(T4)))
        .isCloseTo(1.9, within(1e-9));
  }

  @Test
  void aPresetIsRankedByPublishedSpeeds() {
    Job job = ModelPresets.named("resnet50").job();
    JobSpeed speeds = speeds(job);
    assertThat(samples(job, speeds, A10G) / samples(job, speeds, T4)).isBetween(1.6, 2.3);
    assertThat(speeds.describe(A10G)).contains("resnet50");
  }

  @Test
  void aCatalogWithASpeedOfItsOwnKeepsIt() {
    Machine paper = machine("g4dn.xlarge", "T4", 1, 377.0);
    JobSpeed speeds = speeds(ModelPresets.named("resnet50").job());
    assertThat(speeds.flops(paper)).isEqualTo(377.0);
    assertThat(paper.flops(Precision.FP16)).isEqualTo(377.0);
  }
}

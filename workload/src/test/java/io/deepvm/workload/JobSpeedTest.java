package io.deepvm.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.DataSize;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Hardware;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Precision;
import io.deepvm.workload.parameterserver.ParameterServerProfile;
import io.deepvm.workload.parameterserver.WorkerType;
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
  void aMeasuredMachineOfSeveralGpusLosesNothingMore() {
    Job job =
        JobFile.parse(
            "job",
            """
            model: {parameters: 3.0e8}
            samplesPerSecond: {g5.12xlarge: 100}
            work: {samples: 1e7, flopPerSample: 5e10}
            """);
    JobSpeed speeds = speeds(job);

    double one = samples(job, speeds, FOUR_A10G);
    double speedup = JobScaling.of(job, FOUR_A10G, speeds).speedup(1);

    assertThat(one * speedup).isCloseTo(100, within(1e-6));
    assertThat(JobScaling.of(job, FOUR_A10G, speeds).speedup(4)).isBetween(1.0, 3.0);
  }

  @Test
  void measuredInstanceTypeIsKnownWhereverItsGpusAreAskedFor() {
    Job job =
        JobFile.parse(
            "job",
            """
            samplesPerSecond: {g5.12xlarge: 100}
            work: {samples: 1e7, flopPerSample: 5e10}
            """);
    Machine own = machine("4 x A10G", "A10G", 4, null);

    assertThat(samples(job, JobSpeed.of(job, List.of(own)), own)).isCloseTo(100, within(1e-6));
  }

  @Test
  void severalGpusOfOneMeasuredGpuLoseWhatTheirExchangeCosts() {
    // spotDNN, figure 2(b): VGG-19 trains 25 samples/s on one T4 and 152 on eight of one node
    Job job =
        JobFile.parse(
            "job",
            """
            precision: fp32
            batch: 64
            model: {parameters: 143.5e6}
            training: {software: host-sum}
            samplesPerSecond: {T4: 25}
            work: {samples: 1e7, flopPerSample: 1.18e11}
            """);
    Machine eight = machine("8 x T4", "T4", 8, null);

    assertThat(samples(job, JobSpeed.of(job, List.of(eight)), eight)).isCloseTo(152, within(3.0));
  }

  @Test
  void ownSpeedsWinAtParameterServers() {
    Job job =
        JobFile.parse(
            "job",
            """
            batch: 1024
            samplesPerSecond: {T4: 900, g5.12xlarge: 4000}
            parameterServer:
              parameters: 11.5MB
              workerBandwidth: 142MB/s
              pcie: 10GB/s
              contention: {alpha1: 0.8, beta1: -1.92}
              loss: {gamma1: 876.5, gamma2: -0.2, gamma3: 2507.6, floor: 0.5}
              workers: {T4: {batch: 1024, samplesPerSecond: 750}}
            """);
    ParameterServerProfile profile =
        Objects.requireNonNull(job.profiles().parameterServer()).profile();

    assertThat(alone(profile, T4)).isCloseTo(900, within(1e-6));
    assertThat(alone(profile, FOUR_A10G)).isCloseTo(4000, within(1e-6));
  }

  private static double alone(ParameterServerProfile profile, Machine machine) {
    WorkerType worker = Objects.requireNonNull(profile.worker(machine));
    double transfers =
        2.0 * profile.parameters().bytes() / worker.request().bytesPerSecond()
            + 2.0 * worker.gpus() * profile.parameters().bytes() / worker.pcie().bytesPerSecond();
    return worker.batch() / (worker.computeSeconds() + transfers);
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

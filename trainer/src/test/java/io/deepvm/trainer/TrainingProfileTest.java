package io.deepvm.trainer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.deepvm.trainer.job.TrainingJob;
import io.deepvm.workload.Job;
import io.deepvm.workload.JobFile;
import io.deepvm.workload.averaging.BuiltInTrainer;
import io.deepvm.workload.averaging.Compression;
import io.deepvm.workload.averaging.Protocol;
import io.deepvm.workload.averaging.Topology;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainingProfileTest {

  @TempDir Path folder;

  @Test
  void whatIsMeasuredMakesAJobFileToPlanWith() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("job.yaml"),
            """
            name: small
            strategy: averaging
            model: {kind: mlp, hidden: [16]}
            data: {kind: generated-images, samples: 100}
            batch: {micro: 4, target: 8}
            work: {steps: 10}
            """);
    TrainingProfile profile =
        TrainingProfile.measure(TrainingJob.read(file), Duration.ofMillis(200));
    assertThat(profile.parameters()).isEqualTo(3072 * 16 + 16 + 16 * 10 + 10);
    assertThat(profile.computeSeconds()).isPositive();
    assertThat(profile.wireSecondsPerByte()).isPositive();
    assertThat(profile.losses()).hasSizeGreaterThanOrEqualTo(3);
    Job planned =
        JobFile.read(Files.writeString(folder.resolve("plan.yaml"), profile.jobFile("desk")));
    assertThat(planned.name()).isEqualTo("small");
    BuiltInTrainer trainer =
        Objects.requireNonNull(
            Objects.requireNonNull(planned.profiles().averaging()).protocol().trainer());
    assertThat(trainer.microBatch()).isEqualTo(4);
    assertThat(trainer.stepSeconds()).isCloseTo(profile.stepSeconds(), withinPercentage(0.1));
    assertThat(profile.stepSeconds()).isGreaterThan(profile.applySeconds());
    assertThat(profile.json()).contains("\"schema\" : \"deepvm/training-profile/v1\"");
    assertThat(profile.lossCsv()).startsWith("iterations,batch,convergence,workers,loss\n1,8,1,1,");
  }

  private TrainingProfile measured(String exchange) throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("job.yaml"),
            """
            name: small
            strategy: averaging
            model: {kind: mlp, hidden: [16]}
            data: {kind: generated-images, samples: 100}
            batch: {micro: 4, target: 32}
            work: {steps: 10}
            optimizer: {kind: sgd, rate: 0.05, momentum: 0}
            exchange: {%s}
            """
                .formatted(exchange));
    return TrainingProfile.measure(TrainingJob.read(file), Duration.ofMillis(1));
  }

  @Test
  void howMembersExchangeIsPlannedWithToo() throws Exception {
    TrainingProfile profile = measured("wire: fp16, topology: local-first, overlap: true");
    assertThat(profile.convertSeconds()).isPositive();
    Job planned =
        JobFile.read(Files.writeString(folder.resolve("plan.yaml"), profile.jobFile("desk")));
    Protocol protocol = Objects.requireNonNull(planned.profiles().averaging()).protocol();
    assertThat(protocol.compression()).isEqualTo(Compression.FP16);
    assertThat(protocol.topology()).isEqualTo(Topology.LOCAL_FIRST);
    assertThat(protocol.overlap()).isTrue();
  }

  @Test
  void whoeverAveragesParametersTakesAStepOnEveryMicroBatch() throws Exception {
    double gradients = measured("average: gradients").losses().get(2).loss();
    double parameters = measured("average: parameters").losses().get(2).loss();
    assertThat(parameters).isLessThan(gradients / 2);
  }
}

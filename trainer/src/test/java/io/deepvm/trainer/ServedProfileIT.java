package io.deepvm.trainer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.deepvm.trainer.job.TrainingJob;
import io.deepvm.workload.AsynchronousTraining;
import io.deepvm.workload.JobFile;
import io.deepvm.workload.parameterserver.LossCurve;
import io.deepvm.workload.parameterserver.TurnTaking;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServedProfileIT {

  @TempDir Path folder;

  private AsynchronousTraining read(String jobFile) throws Exception {
    Path file = Files.writeString(folder.resolve("plan.yaml"), jobFile);
    return Objects.requireNonNull(JobFile.read(file).profiles().parameterServer());
  }

  @Test
  void aRealServerTellsWhatAPlanNeeds() throws Exception {
    Path job =
        Files.writeString(
            folder.resolve("job.yaml"),
            """
            name: served
            strategy: parameter-server
            model: {kind: mlp, hidden: [64]}
            data: {kind: generated-images, samples: 1000}
            batch: {micro: 8, target: 16}
            work: {steps: 1000000}
            """);
    ServedProfile served = ServedProfile.measure(job, Duration.ofSeconds(1));
    assertThat(served.computeSeconds()).isPositive();
    assertThat(served.turnSeconds()).isPositive();
    // a step is a micro-batch here, whatever the job's target
    assertThat(served.training().targetBatch()).isEqualTo(8);
    Files.writeString(folder.resolve("losses.csv"), served.training().lossCsv());
    AsynchronousTraining planned = read(served.jobFile("desk", "losses.csv"));
    assertThat(planned.lossFit()).isNotNull();
    assertThat(planned.profile().parameters().bytes())
        .isEqualTo(4L * (3072 * 64 + 64 + 64 * 10 + 10));
    assertThat(Objects.requireNonNull(planned.profile().gpus().get("desk")).computeSeconds())
        .isCloseTo(served.computeSeconds(), withinPercentage(0.1));
  }

  @Test
  void theLossesBecomeTheirCurve() throws Exception {
    LossCurve curve = new LossCurve(20, 0, 60, 0.3, null);
    List<TrainingProfile.LossPoint> losses =
        LongStream.range(0, 200)
            .mapToObj(step -> new TrainingProfile.LossPoint(step, curve.loss(8, 1, 1, step + 1.0)))
            .toList();
    TrainingProfile training =
        new TrainingProfile(
            "served",
            1_000_000,
            4,
            8_000_000,
            8,
            8,
            0.02,
            0.001,
            1e-10,
            5e-10,
            0,
            TrainingJob.Wire.FP32,
            TrainingJob.Topology.FULL_MESH,
            false,
            losses);
    AsynchronousTraining planned =
        read(new ServedProfile(training, 0.02, 0.004).jobFile("desk", null));
    assertThat(planned.profile().turns()).isEqualTo(new TurnTaking(1.046, 0.004, 0));
    assertThat(planned.profile().loss().loss(8, 1, 1, 1000))
        .isCloseTo(curve.loss(8, 1, 1, 1000), within(1e-3));
  }
}

package io.deepvm.trainer;

import io.deepvm.base.Bandwidth;
import io.deepvm.trainer.job.TrainingJob;
import io.deepvm.workload.fit.LossFit;
import io.deepvm.workload.parameterserver.LossCurve;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a few seconds of real steps over a parameter server on this machine show about a job.
 *
 * @param training of one process, without a server
 * @param computeSeconds of an iteration of a worker alone at the server
 * @param turnSeconds for which the same worker pushes or pulls, on a network that takes no time
 */
public record ServedProfile(TrainingProfile training, double computeSeconds, double turnSeconds) {

  /** More than any network card has, so that it is the card which limits a worker. */
  private static final String UNLIMITED = "100Gbps";

  /** Trains for about this long in one process, and twice as long at a server. */
  public static ServedProfile measure(Path file, Duration duration)
      throws IOException, InterruptedException {
    TrainingJob job = TrainingJob.read(file);
    TrainingProfile training = TrainingProfile.measure(job, duration);
    Rehearsal alone = Rehearsal.of(job, TrainerProcess.command(file), new double[] {1}, duration);
    double exchange = alone.overheads().get(0).seconds();
    return new ServedProfile(training, alone.computeSeconds(), exchange / 2);
  }

  /**
   * Returns a job file for planning parameter servers, with what was measured under a machine's
   * name.
   *
   * @param losses the file beside it that has the losses; null to state the curve fitted to them
   */
  public String jobFile(String machine, @Nullable String losses) {
    double bytes = (double) Float.BYTES * training.parameters();
    double transfers =
        2
            * (TrainingProfile.WIRE * bytes / Bandwidth.parse(UNLIMITED).bytesPerSecond()
                + turnSeconds);
    return String.format(
        Locale.ROOT,
        """
        name: %s
        model: {parameters: %d, tensors: %d}
        checkpoint: %dB
        batch: %d
        parameterServer:
          parameters: %dB
          workerBandwidth: %s   # a worker fills whatever link it has
          turns: {wire: %s, turnSeconds: %.6g, ownSeconds: 0}
          %s
          workers:
            %s: {gpus: 1, batch: %d, samplesPerSecond: %.6g}
        """,
        training.job(),
        training.parameters(),
        training.tensors(),
        training.stateBytes(),
        training.microBatch(),
        (long) bytes,
        UNLIMITED,
        TrainingProfile.WIRE,
        turnSeconds,
        losses == null ? curve() : "lossMeasurements: " + losses,
        machine,
        training.microBatch(),
        training.microBatch() / (computeSeconds + transfers));
  }

  private String curve() {
    LossCurve curve =
        LossFit.withoutCoefficient(
                training.losses().stream()
                    .map(
                        point ->
                            new LossFit.Point(
                                point.step() + 1, training.microBatch(), 1, 1, point.loss()))
                    .toList())
            .curve();
    return String.format(
        Locale.ROOT,
        "loss: {gamma1: %.6g, gamma2: %.6g, gamma3: %.6g, floor: %.6g}",
        curve.gamma1(),
        curve.gamma2(),
        curve.gamma3(),
        curve.floor());
  }
}

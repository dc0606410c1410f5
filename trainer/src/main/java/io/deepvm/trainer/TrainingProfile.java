package io.deepvm.trainer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.deepvm.trainer.data.SampleOrder;
import io.deepvm.trainer.job.TrainingJob;
import io.deepvm.trainer.member.ModelState;
import io.deepvm.trainer.member.Totals;
import io.deepvm.trainer.model.Learner;
import io.deepvm.trainer.vector.Floats;
import io.deepvm.trainer.vector.Halves;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.ShortBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a few seconds of real steps in one process show about a job on this machine.
 *
 * @param tensors how many tensors the parameters are
 * @param stateBytes parameters and the optimizer's memory, which is what a checkpoint holds
 * @param computeSeconds the median for a micro-batch, its gradient added up
 * @param applySeconds the median for taking a step
 * @param sumSecondsPerByte for adding another member's gradient
 * @param wireSecondsPerByte for bringing a gradient to another process on this machine, checksums
 *     included
 * @param convertSeconds for making a gradient what is sent, and back
 * @param wire how gradients are sent
 * @param topology whom a member sums with first
 * @param overlap whether the next step is computed while the sum of one is exchanged
 */
public record TrainingProfile(
    String job,
    long parameters,
    int tensors,
    long stateBytes,
    int microBatch,
    int targetBatch,
    double computeSeconds,
    double applySeconds,
    double sumSecondsPerByte,
    double wireSecondsPerByte,
    double convertSeconds,
    TrainingJob.Wire wire,
    TrainingJob.Topology topology,
    boolean overlap,
    List<LossPoint> losses) {

  private static final int LEAST_STEPS = 3;
  private static final int REPEATS = 5;

  /** What TCP and IP add to the bytes: 1514 on the wire for 1448. */
  static final double WIRE = 1.046;

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** The loss of a step, before it was taken. */
  public record LossPoint(long step, double loss) {}

  public TrainingProfile {
    losses = List.copyOf(losses);
  }

  /** Trains for about this long, at least a few steps, and returns what was measured. */
  public static TrainingProfile measure(TrainingJob job, Duration duration) throws IOException {
    try (Learner learner = new Learner(job.model(), job.data().open(job.seed()), job.seed())) {
      // over parameter servers every micro-batch is a step
      int microBatches = job.strategy() == TrainingJob.Strategy.AVERAGING ? job.microBatches() : 1;
      int batch = microBatches * job.microBatch();
      boolean local = job.average() == TrainingJob.Average.PARAMETERS;
      float rate = (float) job.optimizer().rate() / job.microBatch();
      SampleOrder order = new SampleOrder(job.seed(), learner.samples());
      ModelState state = new ModelState(learner.tensors(), learner.size(), job.optimizer());
      ByteBuffer bytes = Floats.allocate(learner.size());
      FloatBuffer gradient = bytes.asFloatBuffer();
      List<Double> computes = new ArrayList<>();
      List<Double> applies = new ArrayList<>();
      List<LossPoint> losses = new ArrayList<>();
      long deadline = System.nanoTime() + duration.toNanos();
      for (long step = 0; step < LEAST_STEPS || System.nanoTime() < deadline; step++) {
        double loss = 0;
        for (int micro = 0; micro < microBatches; micro++) {
          long first = step * batch + (long) micro * job.microBatch();
          long[] samples = new long[job.microBatch()];
          for (int i = 0; i < samples.length; i++) {
            samples[i] = order.sample(first + i);
          }
          long begin = System.nanoTime();
          learner.draw(first);
          loss += learner.gradient(samples, gradient);
          if (local) {
            // a member that averages parameters takes a step of its own on every micro-batch
            learner.descend(gradient, rate);
            Floats.clear(gradient);
          }
          computes.add((System.nanoTime() - begin) / 1e9);
        }
        long begin = System.nanoTime();
        state.apply(gradient, 1f / batch, new Totals(step + 1, 0, 0, 0, 0));
        Floats.clear(gradient);
        applies.add((System.nanoTime() - begin) / 1e9);
        losses.add(new LossPoint(step, loss / batch));
      }
      return new TrainingProfile(
          job.name(),
          learner.size(),
          learner.tensors().size(),
          state.bytes(),
          job.microBatch(),
          batch,
          median(computes),
          median(applies),
          sumSeconds(gradient) / bytes.capacity(),
          Loopback.seconds(bytes, REPEATS) / bytes.capacity(),
          job.wire() == TrainingJob.Wire.FP16 ? convertSeconds(gradient) : 0,
          job.wire(),
          job.topology(),
          job.overlap(),
          losses);
    }
  }

  private static double sumSeconds(FloatBuffer gradient) {
    FloatBuffer other = Floats.allocate(gradient.capacity()).asFloatBuffer();
    return seconds(() -> Floats.sum(other, other, gradient));
  }

  private static double convertSeconds(FloatBuffer gradient) {
    ShortBuffer halves = ByteBuffer.allocateDirect(Halves.bytes(gradient.limit())).asShortBuffer();
    FloatBuffer back = Floats.allocate(gradient.capacity()).asFloatBuffer();
    return seconds(
        () -> {
          Halves.narrow(gradient, halves);
          Halves.widen(halves, back);
        });
  }

  private static double seconds(Runnable work) {
    List<Double> times = new ArrayList<>();
    for (int i = 0; i < REPEATS; i++) {
      long begin = System.nanoTime();
      work.run();
      times.add((System.nanoTime() - begin) / 1e9);
    }
    return median(times);
  }

  static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    return sorted.get(sorted.size() / 2);
  }

  /** Returns how many samples this process alone trains on in a second, by the clock. */
  public double samplesPerSecond() {
    double microBatches = (double) targetBatch / microBatch;
    return targetBatch / (microBatches * computeSeconds + applySeconds);
  }

  /** Returns it as JSON. */
  public String json() {
    ObjectNode node = JSON.createObjectNode().put("schema", "deepvm/training-profile/v1");
    node.setAll((ObjectNode) JSON.valueToTree(this));
    node.put("samplesPerSecond", samplesPerSecond());
    try {
      return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(node);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * What a round takes besides computing and the network: taking the step, adding up a gradient and
   * bringing one to another process.
   */
  public double stepSeconds() {
    double bytes = (double) Float.BYTES * parameters;
    double sent = wire == TrainingJob.Wire.FP16 ? bytes / 2 : bytes;
    return applySeconds + bytes * sumSecondsPerByte + convertSeconds + sent * wireSecondsPerByte;
  }

  /** Returns a job file for planning averaging, with what was measured under a machine's name. */
  public String jobFile(String machine) {
    return String.format(
        Locale.ROOT,
        """
        name: %s
        model: {parameters: %d, tensors: %d}
        checkpoint: %dB
        batch: %d
        averaging:
          samplesPerSecond: {%s: %.6g}
          targetBatch: [%d]
          compression: %s
          topology: %s
          overlap: %s
          builtIn: {stepSeconds: %.6g, peerSeconds: 0, wire: %s}
        """,
        job,
        parameters,
        tensors,
        stateBytes,
        microBatch,
        machine,
        microBatch / computeSeconds,
        targetBatch,
        wire,
        topology,
        overlap,
        stepSeconds(),
        WIRE);
  }

  /** Returns the losses as 'deepvm fit loss' reads them. */
  public String lossCsv() {
    StringBuilder csv = new StringBuilder("iterations,batch,convergence,workers,loss\n");
    for (LossPoint point : losses) {
      csv.append(
          String.format(Locale.ROOT, "%d,%d,1,1,%.6f%n", point.step + 1, targetBatch, point.loss));
    }
    return csv.toString();
  }
}

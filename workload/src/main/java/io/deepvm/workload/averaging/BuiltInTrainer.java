package io.deepvm.workload.averaging;

import io.deepvm.base.BadInput;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.stream.DoubleStream;

/**
 * How the built-in trainer averages where the study's runs did otherwise: micro-batches are handed
 * out, nobody waits for matchmaking, and a round costs what was measured of this trainer.
 *
 * @param microBatch samples that are handed out at a time
 * @param stepSeconds what a round takes with any members: words, summing, taking the step
 * @param peerSeconds what it takes more for each peer but the first
 * @param wire how many times the ideal time of the slowest network card sending takes
 */
public record BuiltInTrainer(int microBatch, double stepSeconds, double peerSeconds, double wire) {

  public BuiltInTrainer {
    if (microBatch < 1) {
      throw new BadInput(
          "The micro-batch of %d samples is less than 1.".formatted(microBatch), "Maybe 16.");
    }
    if (!(stepSeconds >= 0 && peerSeconds >= 0 && wire >= 0)
        || !Double.isFinite(stepSeconds + peerSeconds + wire)) {
      throw new BadInput(
          "The built-in trainer's costs (stepSeconds=%s, peerSeconds=%s, wire=%s) are not numbers of at least 0."
              .formatted(stepSeconds, peerSeconds, wire),
          "Maybe measure them again.");
    }
  }

  /** A member and when it is done with one micro-batch more. */
  private record Next(double doneAt, double microBatchSeconds) {

    Next after() {
      return new Next(doneAt + microBatchSeconds, microBatchSeconds);
    }
  }

  /**
   * Returns the seconds until the last of the micro-batches that make up the target batch is done.
   */
  public double calculationSeconds(List<PeerGroup> groups, int targetBatch) {
    double[] each =
        groups.stream()
            .flatMapToDouble(
                group ->
                    DoubleStream.generate(() -> microBatch / group.peer().samplesPerSecond())
                        .limit(group.count()))
            .toArray();
    return handOutSeconds(each, (targetBatch + microBatch - 1) / microBatch);
  }

  /**
   * Returns the seconds until n micro-batches are done, each by the worker that is done with it
   * first.
   *
   * @param microBatchSeconds what one takes, by member
   */
  public static double handOutSeconds(double[] microBatchSeconds, int microBatches) {
    PriorityQueue<Next> members = new PriorityQueue<>(Comparator.comparingDouble(Next::doneAt));
    for (double seconds : microBatchSeconds) {
      members.add(new Next(seconds, seconds));
    }
    double last = 0;
    for (int done = 0; done < microBatches; done++) {
      Next first = members.remove();
      last = first.doneAt;
      members.add(first.after());
    }
    return last;
  }

  /** Returns the seconds of a round besides sending. */
  double processingSeconds(int peers) {
    return stepSeconds + peerSeconds * (peers - 1);
  }
}

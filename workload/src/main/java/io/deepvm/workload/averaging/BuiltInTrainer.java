package io.deepvm.workload.averaging;

import io.deepvm.units.BadInput;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * How the built-in trainer averages where the study's runs did otherwise: micro-batches are handed
 * out, nobody waits for matchmaking, and a round costs what was measured of this trainer.
 *
 * @param microBatch samples that are handed out at a time
 * @param stepSeconds what a round takes whoever takes part: words, summing, taking the step
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

  /** A peer and when it is done with one micro-batch more. */
  private record Next(double doneAt, double microBatchSeconds) {

    Next after() {
      return new Next(doneAt + microBatchSeconds, microBatchSeconds);
    }
  }

  /**
   * Returns the seconds until the last of the micro-batches that make up the target batch is done,
   * each by whoever is done with it first.
   */
  public double calculationSeconds(List<PeerGroup> groups, int targetBatch) {
    PriorityQueue<Next> peers = new PriorityQueue<>(Comparator.comparingDouble(Next::doneAt));
    for (PeerGroup group : groups) {
      double seconds = microBatch / group.peer().samplesPerSecond();
      peers.addAll(Collections.nCopies(group.count(), new Next(seconds, seconds)));
    }
    double last = 0;
    for (int done = 0; done < targetBatch; done += microBatch) {
      Next first = peers.remove();
      last = first.doneAt;
      peers.add(first.after());
    }
    return last;
  }

  /** Returns the seconds of a round besides sending. */
  double processingSeconds(int peers) {
    return stepSeconds + peerSeconds * (peers - 1);
  }
}

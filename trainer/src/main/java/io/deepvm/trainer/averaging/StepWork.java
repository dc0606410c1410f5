package io.deepvm.trainer.averaging;

import io.deepvm.trainer.data.SampleOrder;
import io.deepvm.trainer.job.TrainingJob;
import io.deepvm.trainer.member.GenerationOver;
import io.deepvm.trainer.member.PeerLost;
import io.deepvm.trainer.member.Peers;
import io.deepvm.trainer.member.Session;
import io.deepvm.trainer.member.TrainingPace;
import io.deepvm.trainer.model.Learner;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Computes the gradients of the micro-batches that rank 0 hands out to this member. */
final class StepWork {

  /** The seconds of computing, and of waiting for micro-batches. */
  record Seconds(double compute, double waiting) {}

  private final TrainingJob job;
  private final Peers peers;
  private final Learner learner;
  private final @Nullable LocalSteps local;
  private final SampleOrder order;
  private final TrainingPace pace;

  private @Nullable Session formed;
  private int rank;
  private int members;
  private double compute;
  private double wait;

  /**
   * Prepares to compute.
   *
   * @param local the steps of this member alone, when parameters are averaged; else null
   */
  StepWork(
      TrainingJob job,
      Peers peers,
      Learner learner,
      @Nullable LocalSteps local,
      TrainingPace pace) {
    this.job = job;
    this.peers = peers;
    this.learner = learner;
    this.local = local;
    this.pace = pace;
    order = new SampleOrder(job.seed(), learner.samples());
  }

  /** Works for a new generation from now on. */
  void form(Session session, int ownRank, int memberCount) {
    formed = session;
    rank = ownRank;
    members = memberCount;
    compute = 0;
    wait = 0;
  }

  /** Returns the seconds since the last call. */
  Seconds takeSeconds() {
    Seconds seconds = new Seconds(compute, wait);
    compute = 0;
    wait = 0;
    return seconds;
  }

  /** Computes micro-batches of a step until rank 0 has none left for this member. */
  void computeShare(long step, Accumulator into)
      throws GenerationOver, PeerLost, InterruptedException {
    Session session = Objects.requireNonNull(formed);
    int count = into.share().held().size();
    CompletableFuture<byte[]> next = take(session, step, count++);
    while (true) {
      long asked = System.nanoTime();
      CompletableFuture<byte[]> answer = next;
      session.await("Rank 0 hands out no micro-batches.", answer::isDone);
      wait += (System.nanoTime() - asked) / 1e9;
      int microBatch = Integer.parseInt(new String(answer.join(), StandardCharsets.UTF_8));
      if (microBatch < 0) {
        return;
      }
      next = take(session, step, count++);
      long begin = System.nanoTime();
      computeOn(step, microBatch, into);
      long took = System.nanoTime() - begin;
      session.keep(pace, took);
      compute += (System.nanoTime() - begin) / 1e9;
    }
  }

  private CompletableFuture<byte[]> take(Session session, long step, int count) {
    return peers.ask(0, new Word.Take(session.generation(), step, rank, count).bytes());
  }

  private void computeOn(long step, int microBatch, Accumulator into) {
    long first = step * job.targetBatch() + (long) microBatch * job.microBatch();
    long[] samples = new long[job.microBatch()];
    long ledger = 0;
    for (int i = 0; i < samples.length; i++) {
      samples[i] = order.sample(first + i);
      ledger += SampleOrder.mix(first + i);
    }
    learner.draw(first);
    double loss;
    if (local == null) {
      loss = learner.gradient(samples, into.floats());
    } else {
      if (into.share().held().isEmpty()) {
        local.begin(members);
      }
      loss = local.step(samples);
    }
    into.note(microBatch, loss, ledger);
  }
}

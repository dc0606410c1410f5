package io.deepvm.trainer.member;

import io.deepvm.cluster.member.Report;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/** One generation as the training thread sees it: every wait ends, one way or another. */
public final class Session {

  /** How long nothing may move while something is waited for. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** Much less than that, and than the time a member has to form. */
  private static final Duration SIGN = Duration.ofMinutes(1);

  private final Agent agent;
  private final Peers peers;
  private final long generation;
  private final Duration patience;
  private final LongSupplier moved;

  /** Begins one. */
  public Session(Agent agent, Peers peers, long generation) {
    this(agent, peers, generation, PATIENCE, peers::moved);
  }

  /** Begins one that waits for this long after the number has last changed. */
  Session(Agent agent, Peers peers, long generation, Duration patience, LongSupplier moved) {
    this.agent = agent;
    this.peers = peers;
    this.generation = generation;
    this.patience = patience;
    this.moved = moved;
  }

  /** Returns which generation it is. */
  public long generation() {
    return generation;
  }

  /**
   * Waits for something that needs all members; if it does not come, one of them is lost. However
   * long bytes take, it may come as long as they move.
   */
  public void await(String otherwise, Agent.Condition condition)
      throws GenerationOver, PeerLost, InterruptedException {
    long before = moved.getAsLong();
    while (!awaitOnce(condition)) {
      long now = moved.getAsLong();
      if (now == before) {
        throw peers.late(otherwise);
      }
      before = now;
    }
  }

  /**
   * Getting the state that training begins with may take longer than anybody waits in silence:
   * until this is ended the agent and the other members hear that it goes on.
   */
  public AtWork atWork() {
    return new AtWork(
        SIGN,
        () -> {
          agent.report(new Report.Forming(generation));
          peers.tellAtWork();
        });
  }

  private boolean awaitOnce(Agent.Condition condition)
      throws GenerationOver, PeerLost, InterruptedException {
    return agent.await(
        generation,
        patience,
        () -> {
          if (condition.met()) {
            return true;
          }
          peers.check();
          return false;
        });
  }

  /** Lets time pass, or ends with the generation. */
  public void idle(Duration time) throws GenerationOver, PeerLost, InterruptedException {
    agent.await(generation, time, () -> false);
  }

  /** Asks a member and waits for the answer. */
  public byte[] ask(int to, byte[] question) throws GenerationOver, PeerLost, InterruptedException {
    CompletableFuture<byte[]> answer = peers.ask(to, question);
    await("No answer came.", answer::isDone);
    return answer.join();
  }

  /** Rests after a computation that took so long, so that it appears to be of this pace. */
  public void keep(Pace pace, long tookNanos)
      throws GenerationOver, PeerLost, InterruptedException {
    long rest = pace.restNanos(tookNanos);
    if (rest > 0) {
      idle(Duration.ofNanos(rest));
    }
  }
}

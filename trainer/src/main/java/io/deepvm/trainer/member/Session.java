package io.deepvm.trainer.member;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** One generation as the training thread sees it: every wait ends, one way or another. */
public final class Session {

  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final Agent agent;
  private final Peers peers;
  private final long generation;

  /** Begins one. */
  public Session(Agent agent, Peers peers, long generation) {
    this.agent = agent;
    this.peers = peers;
    this.generation = generation;
  }

  /** Returns which generation it is. */
  public long generation() {
    return generation;
  }

  /** Waits for something that needs all members; if it does not come, one of them is lost. */
  public void await(String otherwise, Agent.Condition condition)
      throws GenerationOver, PeerLost, InterruptedException {
    boolean met =
        agent.await(
            generation,
            PATIENCE,
            () -> {
              if (condition.met()) {
                return true;
              }
              peers.check();
              return false;
            });
    if (!met) {
      throw peers.late(otherwise);
    }
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

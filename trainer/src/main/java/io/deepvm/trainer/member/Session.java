package io.deepvm.trainer.member;

import io.deepvm.cluster.member.Report;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/** One generation as the training thread sees it: every wait ends, one way or another. */
public final class Session {

  /** The interval between reports that something long goes on. */
  private static final Duration SIGN = Duration.ofMinutes(1);

  /** For this many of these nothing may move while something is waited for. */
  private static final int MOST_STILL = 5;

  /** For this many of these a checkpoint may be read. */
  private static final int MOST_SIGNS = 120;

  private final AgentChannel agent;
  private final Peers peers;
  private final long generation;
  private final Duration sign;
  private final LongSupplier moved;

  /** Begins one. */
  public Session(AgentChannel agent, Peers peers, long generation) {
    this(agent, peers, generation, SIGN, peers::moved);
  }

  /**
   * Begins one.
   *
   * @param moved a number that changes when bytes are sent or come
   */
  Session(AgentChannel agent, Peers peers, long generation, Duration sign, LongSupplier moved) {
    this.agent = agent;
    this.peers = peers;
    this.generation = generation;
    this.sign = sign;
    this.moved = moved;
  }

  /** Returns which generation it is. */
  public long generation() {
    return generation;
  }

  /**
   * Waits for something that needs all members; if it does not come, one of them is lost. However
   * long bytes take, it may come as long as they move, here or where another says so.
   */
  public void await(String otherwise, AgentChannel.Condition condition)
      throws GenerationOver, PeerLost, InterruptedException {
    long bytesBefore = moved.getAsLong();
    long reportsBefore = peers.reportsOfWork();
    int still = 0;
    while (!awaitOnce(condition)) {
      long bytes = moved.getAsLong();
      long reports = peers.reportsOfWork();
      if (bytes != bytesBefore) {
        // Not for what others say: two that wait for each other would go on for ever.
        reportAtWork();
      }
      still = bytes == bytesBefore && reports == reportsBefore ? still + 1 : 0;
      if (still == MOST_STILL) {
        throw peers.late(otherwise);
      }
      bytesBefore = bytes;
      reportsBefore = reports;
    }
  }

  /**
   * Reading a checkpoint may take longer than anybody waits in silence: until this is ended, or
   * that has taken hours, the agent and the other members receive reports that it goes on.
   */
  public AtWork atWork() {
    return new AtWork(sign, MOST_SIGNS, this::reportAtWork);
  }

  private void reportAtWork() {
    agent.report(new Report.Forming(generation));
    peers.reportAtWork();
  }

  private boolean awaitOnce(AgentChannel.Condition condition)
      throws GenerationOver, PeerLost, InterruptedException {
    return agent.await(
        generation,
        sign,
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

  /** Fetches what a member has under this name into these buffers. */
  public void fetch(int from, String name, ByteBuffer... into)
      throws GenerationOver, PeerLost, InterruptedException {
    CompletableFuture<Boolean> fetched = peers.fetch(from, name, into);
    await(name + " did not come.", fetched::isDone);
    if (!fetched.join()) {
      throw peers.late(name + " could not be fetched.");
    }
  }

  /** Asks a member and waits for the answer. */
  public byte[] ask(int to, byte[] question) throws GenerationOver, PeerLost, InterruptedException {
    CompletableFuture<byte[]> answer = peers.ask(to, question);
    await("No answer came.", answer::isDone);
    return answer.join();
  }

  /** Rests after a computation that took this long, so that it appears to be of this pace. */
  public void keep(TrainingPace pace, long tookNanos)
      throws GenerationOver, PeerLost, InterruptedException {
    long rest = pace.restNanos(tookNanos);
    if (rest > 0) {
      idle(Duration.ofNanos(rest));
    }
  }
}

package io.deepvm.cluster.agent;

import io.deepvm.cluster.member.Order;
import java.time.Duration;

/** A training process that runs. */
public interface Child {

  /** Tells a member something; a process that does not listen any more is about to end. */
  void order(Order order);

  /** Sends the signal, like TERM, to it and all it started. */
  void signal(String name);

  /**
   * Asks it to end, by an order or a signal, and waits so long; then kills it and all it started.
   * It is gone after.
   */
  void stop(String reason, Duration patience);

  /** Kills it and all it started at once. */
  void kill();
}

package io.deepvm.cluster.agent;

import io.deepvm.cluster.member.Order;
import java.time.Duration;

/** A training process that runs. */
public interface Child {

  /** Sends an order to a member; a process that does not read any more is about to end. */
  void order(Order order);

  /** Sends the signal, like TERM, to it and all it started. */
  void signal(String name);

  /**
   * Asks the process to end, by an order or a signal. Kills it and all that it started when the
   * patience is over. Returns when it is gone.
   */
  void stop(String reason, Duration patience);

  /** Kills it and all it started at once. */
  void kill();
}

package io.deepvm.trainer.member;

import io.deepvm.cluster.member.Order;

/** A way of training together. */
public interface Strategy extends Conversation, AutoCloseable {

  /**
   * Trains as a member of this generation until all work is done.
   *
   * @throws GenerationOver when there is a newer order; the state is kept for it
   * @throws PeerLost when another member is needed and does not answer
   */
  void train(Order.Form form) throws GenerationOver, PeerLost, InterruptedException;

  /** Saves what is worth it; called when training shall stop before its end. */
  void leave() throws InterruptedException;

  @Override
  void close();
}

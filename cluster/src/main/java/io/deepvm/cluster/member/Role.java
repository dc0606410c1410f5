package io.deepvm.cluster.member;

/** What a member does in training. */
public enum Role {
  /** Computes gradients. */
  WORKER,
  /** Keeps a share of the parameters for asynchronous workers. */
  SERVER
}

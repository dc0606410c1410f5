package io.deepvm.cluster.core;

/** The part that a node's training process plays in the newest generation. */
public sealed interface Part {

  /** Returns the generation; 0 for none. */
  long generation();

  /** The process plays no part. */
  record Idle() implements Part {
    @Override
    public long generation() {
      return 0;
    }
  }

  /** The process ended after a notice, and is started again only if the notice is withdrawn. */
  record Departed() implements Part {
    @Override
    public long generation() {
      return 0;
    }
  }

  /**
   * The process was asked to join.
   *
   * @param untilMs the form timeout; {@link Long#MAX_VALUE} if the process has reported why it
   *     waits
   */
  record Asked(long generation, long untilMs) implements Part {}

  /**
   * The old command has ended, the new one may start.
   *
   * @param untilMs when it must have started
   */
  record Cleared(long generation, long untilMs) implements Part {}

  /** The process trains. */
  record Joined(long generation) implements Part {}

  /** The process has reported that all work is done; its end is no failure. */
  record Finished(long generation) implements Part {}

  /** The command ended with code 0. */
  record Done(long generation) implements Part {}
}

package io.deepvm.cluster.agent;

/** The life of the newest training process of a node. */
sealed interface ProcessLife {

  /** Whether the process works, or is about to. */
  default boolean isUp() {
    return false;
  }

  /** Returns the newest generation that the process knows; 0 if it knows none or ends. */
  default long generation() {
    return 0;
  }

  /** No process is there. */
  record None() implements ProcessLife {}

  /**
   * The process was started, and cannot work yet.
   *
   * @param generation for which a command was started; 0 for a member
   */
  record Launching(long generation, long sinceMs) implements ProcessLife {
    @Override
    public boolean isUp() {
      return true;
    }
  }

  /**
   * The process works, or waits for a generation.
   *
   * @param port where a member listens to others; 0 for a command
   * @param wroteMs when it last wrote something
   */
  record Running(int port, long generation, long wroteMs) implements ProcessLife {
    @Override
    public boolean isUp() {
      return true;
    }
  }

  /**
   * The agent asked the process to end, so its end is not reported.
   *
   * @param untilMs when it must be gone
   */
  record Dismissed(long untilMs) implements ProcessLife {}

  /**
   * The agent killed the process because it did not do what it should; that is reported.
   *
   * @param worked the newest generation that the process knew
   * @param untilMs when it must be gone
   */
  record Condemned(long worked, String reason, long untilMs) implements ProcessLife {}
}

package io.deepvm.cluster.agent;

import io.deepvm.cluster.link.AgentStatus;
import org.jspecify.annotations.Nullable;

/** The life of the newest training process of a node. */
sealed interface ProcessLife {

  int KILLED = -1;

  /** Whether a process is there. */
  default boolean isThere() {
    return true;
  }

  /** Whether the process works, or is about to. */
  boolean isUp();

  /** Returns the newest generation that the process knows; 0 if it knows none or ends. */
  default long generation() {
    return 0;
  }

  /** Returns when the process must have left this state; {@link Long#MAX_VALUE} if it may stay. */
  long limitMs();

  /** Returns the life once the process can work: a command runs, a member listens. */
  default ProcessLife ready(int port, long nowMs) {
    return this;
  }

  /** Returns the life once the agent asks the process to end. */
  ProcessLife dismissed(long untilMs);

  /**
   * Returns the report of the end of the process; null if the agent had asked for it.
   *
   * @param number of the process
   */
  AgentStatus.@Nullable Exit exit(int number, AgentInput.Ended how);

  /** No process is there. */
  record None() implements ProcessLife {
    @Override
    public boolean isThere() {
      return false;
    }

    @Override
    public boolean isUp() {
      return false;
    }

    @Override
    public long limitMs() {
      return Long.MAX_VALUE;
    }

    @Override
    public ProcessLife dismissed(long untilMs) {
      return this;
    }

    @Override
    public AgentStatus.@Nullable Exit exit(int number, AgentInput.Ended how) {
      return null;
    }
  }

  /**
   * The process was started, and cannot work yet.
   *
   * @param generation for which a command was started; 0 for a member
   * @param limitMs when it must be ready
   */
  record Launching(long generation, long limitMs) implements ProcessLife {
    @Override
    public boolean isUp() {
      return true;
    }

    @Override
    public ProcessLife ready(int port, long nowMs) {
      return new Running(port, generation, nowMs);
    }

    @Override
    public ProcessLife dismissed(long untilMs) {
      return new Dismissed(untilMs);
    }

    @Override
    public AgentStatus.Exit exit(int number, AgentInput.Ended how) {
      return unasked(number, generation, how);
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

    @Override
    public long limitMs() {
      return Long.MAX_VALUE;
    }

    @Override
    public ProcessLife dismissed(long untilMs) {
      return new Dismissed(untilMs);
    }

    @Override
    public AgentStatus.Exit exit(int number, AgentInput.Ended how) {
      return unasked(number, generation, how);
    }

    Running wrote(long nowMs) {
      return new Running(port, generation, nowMs);
    }

    Running joined(long next) {
      return new Running(port, next, wroteMs);
    }
  }

  /**
   * The agent asked the process to end, so its end is not reported.
   *
   * @param limitMs when it must be gone
   */
  record Dismissed(long limitMs) implements ProcessLife {
    @Override
    public boolean isUp() {
      return false;
    }

    @Override
    public ProcessLife dismissed(long untilMs) {
      return this;
    }

    @Override
    public AgentStatus.@Nullable Exit exit(int number, AgentInput.Ended how) {
      return null;
    }
  }

  /**
   * The agent killed the process because it did not do what it should; that is reported.
   *
   * @param worked the newest generation that the process knew
   * @param limitMs when it must be gone
   */
  record Condemned(long worked, String reason, long limitMs) implements ProcessLife {
    @Override
    public boolean isUp() {
      return false;
    }

    @Override
    public ProcessLife dismissed(long untilMs) {
      return new Dismissed(limitMs);
    }

    @Override
    public AgentStatus.Exit exit(int number, AgentInput.Ended how) {
      return new AgentStatus.Exit(number, worked, KILLED, reason, null);
    }
  }

  private static AgentStatus.Exit unasked(int number, long generation, AgentInput.Ended how) {
    return new AgentStatus.Exit(number, generation, how.code(), how.tail(), how.localRank());
  }
}

package io.deepvm.cluster.core;

import org.jspecify.annotations.Nullable;

/** What the run knows of a node's machine, which costs money until it is gone. */
public sealed interface Machine {

  /** Returns how the cloud finds the machine; null if the cloud has not answered the order. */
  @Nullable String handle();

  /**
   * Returns what the cloud has to do with the machine at a moment.
   *
   * @param late whether the time for an end in order is over for the whole run
   */
  Duty duty(long nowMs, boolean late);

  /** Returns when the duty changes by itself; {@link Long#MAX_VALUE} if only an event can. */
  default long dueMs() {
    return Long.MAX_VALUE;
  }

  /** What the cloud has to do. */
  enum Duty {
    NOTHING,
    ORDER,
    END
  }

  /** The order is on disk; the cloud has not answered it. */
  record Ordered() implements Machine {
    @Override
    public @Nullable String handle() {
      return null;
    }

    @Override
    public Duty duty(long nowMs, boolean late) {
      return Duty.ORDER;
    }
  }

  /** The cloud has the machine. */
  record Granted(String handle) implements Machine {
    @Override
    public Duty duty(long nowMs, boolean late) {
      return Duty.NOTHING;
    }
  }

  /** The node is given back; its machine may end in order until then. */
  record Leaving(String handle, long untilMs) implements Machine {
    @Override
    public Duty duty(long nowMs, boolean late) {
      return late || nowMs >= untilMs ? Duty.END : Duty.NOTHING;
    }

    @Override
    public long dueMs() {
      return untilMs;
    }
  }

  /** The cloud must end the machine, and has not confirmed it. */
  record Owed(@Nullable String handle) implements Machine {
    @Override
    public Duty duty(long nowMs, boolean late) {
      return Duty.END;
    }
  }

  /**
   * The machine does not exist any more.
   *
   * @param taken whether the cloud took it
   */
  record Gone(boolean taken) implements Machine {
    @Override
    public @Nullable String handle() {
      return null;
    }

    @Override
    public Duty duty(long nowMs, boolean late) {
      return Duty.NOTHING;
    }
  }
}

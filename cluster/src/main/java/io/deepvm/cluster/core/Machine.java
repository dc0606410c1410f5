package io.deepvm.cluster.core;

import org.jspecify.annotations.Nullable;

/** What the run knows of a node's machine, which costs money until it is gone. */
public sealed interface Machine {

  /** Returns how the cloud finds the machine; null if the cloud has not answered the order. */
  @Nullable String handle();

  /** The order is on disk; the cloud has not answered it. */
  record Ordered() implements Machine {
    @Override
    public @Nullable String handle() {
      return null;
    }
  }

  /** The cloud has the machine. */
  record Granted(String handle) implements Machine {}

  /** The node is given back; its machine may end in order until then. */
  record Leaving(String handle, long untilMs) implements Machine {}

  /** The cloud must end the machine, and has not confirmed it. */
  record Owed(@Nullable String handle) implements Machine {}

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
  }
}

package io.deepvm.cluster.core;

import io.deepvm.cluster.agent.Work;

/** The two kinds of work. */
final class Kinds {

  private Kinds() {}

  /** Whether the work is any command, which is started again for each generation. */
  static boolean isCommand(RunState state) {
    return state.facts().spec().work().kind() == Work.Kind.COMMAND;
  }

  /** Returns the timeouts of the work. */
  static Work.Timeouts timeouts(RunState state) {
    return state.facts().spec().work().timeouts();
  }

  /** Returns seconds as milliseconds. */
  static long ms(double seconds) {
    return Math.round(1000 * seconds);
  }
}

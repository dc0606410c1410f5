package io.deepvm.cluster;

import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.output.LogRanks;
import io.deepvm.cluster.output.PrintedLines;
import java.util.function.Consumer;

/** Receives each event of a run after it was logged, and the output of its commands. */
@FunctionalInterface
public interface RunListener extends Consumer<Logged> {

  /** Returns the ranks whose output is wanted. */
  default LogRanks logs() {
    return LogRanks.NONE;
  }

  /** Receives lines that processes of a node printed; called by one thread, which may block. */
  default void printed(String node, PrintedLines lines) {}
}

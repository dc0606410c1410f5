package io.deepvm.cluster.agent;

import io.deepvm.cluster.output.PrintedLine;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Starts training processes. */
public interface Launcher {

  /**
   * Starts a process; it ends when this one does.
   *
   * @param localRank which of the node's processes it is
   */
  Child launch(
      List<String> command, Map<String, String> environment, int localRank, Listener listener)
      throws IOException;

  /** Receives what happens to a process; called by other threads. */
  interface Listener {

    /** It wrote something, maybe less than a line. */
    void wrote();

    /** It printed a line that may be a report. */
    void reported(String line);

    /** It printed a line for people, here without control characters. */
    void printed(PrintedLine.Pipe pipe, String text);

    /**
     * It ended, and all its output was passed on.
     *
     * @param tail the end of its standard error
     */
    void exited(int code, String tail);
  }
}

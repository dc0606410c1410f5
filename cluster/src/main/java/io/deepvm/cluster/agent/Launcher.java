package io.deepvm.cluster.agent;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Starts training processes. */
public interface Launcher {

  /** Starts a process; it ends when this one does. */
  Child launch(List<String> command, Map<String, String> environment, Listener listener)
      throws IOException;

  /** Hears from a process; called by other threads. */
  interface Listener {

    /** It wrote something, be it less than a line. */
    void wrote();

    /** It printed a line that may be a report. */
    void printed(String line);

    /**
     * It ended, and everything it printed was heard.
     *
     * @param tail the end of its standard error
     */
    void exited(int code, String tail);
  }
}

package io.deepvm.cluster.agent;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Signals to whole process groups, which Java cannot send by itself. */
public final class Signals {

  private static final long PATIENCE_SECONDS = 5;

  private Signals() {}

  /** Sends the signal, like TERM, to all processes of the group that this process heads. */
  public static void send(String signal, long head) {
    try {
      Process kill =
          new ProcessBuilder("sh", "-c", "kill -s " + signal + " -- -" + head)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      kill.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      throw new IllegalStateException("There is no shell to send signals with.", e);
    }
  }
}

package io.deepvm.cluster.agent;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Signals to whole process groups, which Java cannot send by itself. */
public final class Signals {

  private static final long PATIENCE_SECONDS = 5;

  /** Those of Linux that have names. */
  private static final List<String> NAMES =
      List.of(
          ("HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT"
                  + " STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS")
              .split(" "));

  private Signals() {}

  /** Returns the name that {@link #send} knows, of TERM, term or SIGTERM. */
  public static String named(String text) {
    String name = text.strip().toUpperCase(Locale.ROOT).replaceFirst("^SIG", "");
    if (!NAMES.contains(name)) {
      throw new BadInput(
          "There is no signal '%s'.".formatted(text),
          Suggestion.maybe(name, NAMES, "Maybe write it like TERM or USR1."));
    }
    return name;
  }

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

package io.deepvm.cluster.core;

import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.log.Event;

/** Sentences about the training command. */
final class Words {

  /** What a shell returns if a command exists and cannot be executed. */
  static final int CANNOT_EXECUTE = 126;

  /** What a shell returns if there is no such command. */
  static final int NOT_FOUND = 127;

  private static final int SHOWN_CHARS = 60;

  private Words() {}

  /** Returns how a process ended. */
  static String exit(Work work, Event.Exited e) {
    String what =
        e.code() == NOT_FOUND
            ? "The command '%s' was not found".formatted(work.command().get(0))
            : e.code() < 0
                ? "The process was ended"
                : "The process '%s' ended with code %d".formatted(command(work), e.code());
    String where = e.localRank() == null ? "" : " (local rank %d)".formatted(e.localRank());
    return e.tail().isEmpty() ? what + where + "." : what + where + ": " + e.tail();
  }

  /** Returns the command, shortened. */
  static String command(Work work) {
    String command = String.join(" ", work.command());
    return command.length() > SHOWN_CHARS ? command.substring(0, SHOWN_CHARS) + "..." : command;
  }
}

package io.deepvm.places.ssh;

import java.io.IOException;

/**
 * How a node stands on its host.
 *
 * @param detail the process, or the reason
 */
record NodeOnHost(Kind kind, String detail) {

  enum Kind {
    /** It was never started. */
    NONE,
    /** It was ended before it started. */
    NOBODY,
    LIVES,
    ENDED,
    /** Another node is on the host. */
    BUSY,
    /** It cannot be started. */
    FAILED
  }

  /** Reads the answer of the script on the host. */
  static NodeOnHost of(String answer) throws IOException {
    String[] words = answer.split(" ", 2);
    for (Kind kind : Kind.values()) {
      if (kind.name().equalsIgnoreCase(words[0])) {
        return new NodeOnHost(kind, words.length == 2 ? words[1] : "");
      }
    }
    throw new IOException("the host answered '%s'".formatted(answer));
  }
}

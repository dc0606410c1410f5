package io.deepvm.cluster.agent;

/** Cuts the characters that a process writes into lines. */
final class LineSplitter {

  /** Longer lines are passed on in pieces, so that no line needs more memory. */
  static final int MOST_CHARS = 16_384;

  /** How a line ended. */
  enum End {
    /** By a line feed, or by the end of the stream. */
    LINE,
    /** By a carriage return: the next text takes its place, as in progress bars. */
    OVERWRITTEN,
    /** It is longer than a piece, and goes on in the next one. */
    CUT
  }

  /** Receives the lines. */
  interface Sink {
    void line(String text, End end);
  }

  private final Sink sink;
  private final StringBuilder text = new StringBuilder();
  private boolean returned;

  LineSplitter(Sink sink) {
    this.sink = sink;
  }

  /** Takes the next characters. */
  void feed(char[] chars, int count) {
    for (int i = 0; i < count; i++) {
      feed(chars[i]);
    }
  }

  private void feed(char c) {
    if (returned) {
      returned = false;
      end(c == '\n' ? End.LINE : End.OVERWRITTEN);
      if (c == '\n') {
        return;
      }
    }
    if (c == '\n') {
      end(End.LINE);
    } else if (c == '\r') {
      returned = true;
    } else {
      text.append(c);
      if (text.length() >= MOST_CHARS && !Character.isHighSurrogate(c)) {
        end(End.CUT);
      }
    }
  }

  /** Passes on what is left at the end of the stream. */
  void close() {
    if (!text.isEmpty()) {
      end(End.LINE);
    }
  }

  private void end(End end) {
    String line = text.toString();
    text.setLength(0);
    sink.line(line, end);
  }
}

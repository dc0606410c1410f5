package io.deepvm.cli;

import io.deepvm.cli.print.Paint;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import org.jspecify.annotations.Nullable;

/**
 * Where a command writes and what time it is.
 *
 * @param out results
 * @param err messages
 * @param colour whether a person watches the results on a terminal that shows colour
 * @param live whether a person watches the messages, so that progress may be drawn
 * @param trace whether failures show where they happened
 * @param columns how wide the terminal is; unlimited where nobody says
 */
record Terminal(
    PrintWriter out,
    PrintWriter err,
    boolean colour,
    boolean live,
    boolean trace,
    Clock clock,
    int columns) {

  private static final int LEAST_COLUMNS = 20;

  /** Makes a terminal of any width. */
  Terminal(
      PrintWriter out, PrintWriter err, boolean colour, boolean live, boolean trace, Clock clock) {
    this(out, err, colour, live, trace, clock, Integer.MAX_VALUE);
  }

  /**
   * Returns the process's own streams. The start script says which of them are terminals and how
   * wide they are, because the JVM cannot tell.
   */
  static Terminal ofProcess() {
    String terminals = System.getProperty("deepvm.terminal", "");
    return new Terminal(
        utf8(FileDescriptor.out),
        utf8(FileDescriptor.err),
        terminals.contains("out") && System.getenv("NO_COLOR") == null,
        terminals.contains("err"),
        "1".equals(System.getenv("DEEPVM_TRACE")),
        Clock.systemUTC(),
        columns(System.getProperty("deepvm.columns", System.getenv("COLUMNS"))));
  }

  /** Returns the width that a text states; unlimited where it states none. */
  static int columns(@Nullable String text) {
    try {
      int columns = text == null ? 0 : Integer.parseInt(text.strip());
      return columns < LEAST_COLUMNS ? Integer.MAX_VALUE : columns;
    } catch (NumberFormatException e) {
      return Integer.MAX_VALUE;
    }
  }

  /** Returns the emphasis and the width of results. */
  Paint paint() {
    return new Paint(colour, columns);
  }

  private static PrintWriter utf8(FileDescriptor stream) {
    return new PrintWriter(
        new OutputStreamWriter(new FileOutputStream(stream), StandardCharsets.UTF_8));
  }
}

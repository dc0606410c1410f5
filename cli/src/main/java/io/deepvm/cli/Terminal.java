package io.deepvm.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Clock;

/**
 * Where a command writes and what time it is.
 *
 * @param out results
 * @param err messages
 * @param colour whether a person watches the results on a terminal that shows colour
 * @param live whether a person watches the messages, so that progress may be drawn
 * @param trace whether failures show where they happened
 */
record Terminal(
    PrintWriter out, PrintWriter err, boolean colour, boolean live, boolean trace, Clock clock) {

  /**
   * Returns the process's own streams. The start script says which of them are terminals, because
   * the JVM cannot tell one from the other.
   */
  static Terminal ofProcess() {
    String terminals = System.getProperty("deepvm.terminal", "");
    return new Terminal(
        utf8(FileDescriptor.out),
        utf8(FileDescriptor.err),
        terminals.contains("out") && System.getenv("NO_COLOR") == null,
        terminals.contains("err"),
        "1".equals(System.getenv("DEEPVM_TRACE")),
        Clock.systemUTC());
  }

  private static PrintWriter utf8(FileDescriptor stream) {
    return new PrintWriter(
        new OutputStreamWriter(new FileOutputStream(stream), StandardCharsets.UTF_8));
  }
}

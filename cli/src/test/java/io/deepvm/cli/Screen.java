package io.deepvm.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;

/** A terminal that remembers what one command wrote, on a fixed day. */
final class Screen {

  private static final Clock DAY =
      Clock.fixed(Instant.parse("2026-09-01T12:00:00Z"), ZoneOffset.UTC);

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final int exitCode;

  private Screen(boolean trace, String... args) {
    exitCode =
        Main.run(
            new Terminal(new PrintWriter(out), new PrintWriter(err), false, false, trace, DAY),
            args);
  }

  /** Returns a terminal whose output nobody reads. */
  static Terminal terminal() {
    return new Terminal(
        new PrintWriter(new StringWriter()),
        new PrintWriter(new StringWriter()),
        false,
        false,
        false,
        DAY);
  }

  static Screen run(String... args) {
    return new Screen(false, args);
  }

  static Screen runTraced(String... args) {
    return new Screen(true, args);
  }

  int exitCode() {
    return exitCode;
  }

  String out() {
    return out.toString();
  }

  String err() {
    return err.toString();
  }
}

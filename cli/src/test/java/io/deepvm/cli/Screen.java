package io.deepvm.cli;

import io.deepvm.cli.console.Terminal;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/** A terminal that remembers what one command wrote, on a fixed day. */
final class Screen {

  private static final Clock DAY =
      Clock.fixed(Instant.parse("2026-09-01T12:00:00Z"), ZoneOffset.UTC);

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final int exitCode;

  private Screen(boolean trace, int columns, @Nullable Path config, String... args) {
    exitCode =
        Main.run(
            new Terminal(
                new PrintWriter(out), new PrintWriter(err), false, false, trace, DAY, columns),
            config,
            args);
  }

  /** Runs a command with the defaults of a config file. */
  static Screen with(Path config, String... args) {
    return new Screen(false, Integer.MAX_VALUE, config, args);
  }

  /** Runs a command on a terminal of this width. */
  static Screen wide(int columns, String... args) {
    return new Screen(false, columns, null, args);
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
    return new Screen(false, Integer.MAX_VALUE, null, args);
  }

  static Screen runTraced(String... args) {
    return new Screen(true, Integer.MAX_VALUE, null, args);
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

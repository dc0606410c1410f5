package io.deepvm.cli.console;

import io.deepvm.base.PlainText;
import io.deepvm.cli.print.Paint;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where a command writes, what time it is, and where the user keeps what can be read again. */
public final class Terminal {

  private static final int LEAST_COLUMNS = 20;
  private static final String WIPE = "\r\u001b[K";

  private final PrintWriter out;
  private final PrintWriter err;

  /** The terminal itself, to draw on. */
  private final PrintWriter screen;

  private final boolean colour;
  private final boolean live;
  private final boolean trace;
  private final Clock clock;
  private final int columns;
  private @Nullable Path cache;

  /**
   * Makes a terminal.
   *
   * @param out results
   * @param err messages
   * @param colour whether a person watches the results on a terminal that shows colour
   * @param live whether a person watches the messages, so that progress may be drawn
   * @param trace whether failures show where they happened
   * @param columns how wide the terminal is; unlimited where nobody says
   */
  public Terminal(
      PrintWriter out,
      PrintWriter err,
      boolean colour,
      boolean live,
      boolean trace,
      Clock clock,
      int columns) {
    this.out = new PlainPrinter(out, colour);
    this.err = new PlainPrinter(err, colour);
    this.screen = err;
    this.colour = colour;
    this.live = live;
    this.trace = trace;
    this.clock = clock;
    this.columns = columns;
  }

  /** Makes a terminal of any width. */
  public Terminal(
      PrintWriter out, PrintWriter err, boolean colour, boolean live, boolean trace, Clock clock) {
    this(out, err, colour, live, trace, clock, Integer.MAX_VALUE);
  }

  /**
   * Returns the process's own streams. The start script says which of them are terminals and how
   * wide they are, because the JVM does not know.
   */
  public static Terminal ofProcess() {
    String terminals = System.getProperty("deepvm.terminal", "");
    return new Terminal(
            utf8(FileDescriptor.out),
            utf8(FileDescriptor.err),
            terminals.contains("out") && System.getenv("NO_COLOR") == null,
            terminals.contains("err"),
            "1".equals(System.getenv("DEEPVM_TRACE")),
            Clock.systemUTC(),
            columns(System.getProperty("deepvm.columns", System.getenv("COLUMNS"))))
        .withCache(cache(System.getenv()));
  }

  /** Returns this terminal with a folder of the user's for what can be read again. */
  public Terminal withCache(@Nullable Path folder) {
    cache = folder;
    return this;
  }

  /** Returns the folder of the user's for what can be read again, or null where there is none. */
  static @Nullable Path cache(Map<String, String> environment) {
    String caches = environment.getOrDefault("XDG_CACHE_HOME", "");
    String home = environment.getOrDefault("HOME", "");
    if (!caches.isEmpty() && Path.of(caches).isAbsolute()) {
      return Path.of(caches, "deepvm");
    }
    return home.isEmpty() ? null : Path.of(home, ".cache", "deepvm");
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

  /** Results, as plain text. */
  public PrintWriter out() {
    return out;
  }

  /** Messages, as plain text. */
  public PrintWriter err() {
    return err;
  }

  public boolean colour() {
    return colour;
  }

  public boolean live() {
    return live;
  }

  public boolean trace() {
    return trace;
  }

  public Clock clock() {
    return clock;
  }

  public int columns() {
    return columns;
  }

  /** Returns the user's folder for what can be read again, or null where there is none. */
  public @Nullable Path cache() {
    return cache;
  }

  /** Draws a line of messages in place of the one that was drawn before. */
  public void redraw(String line) {
    screen.print("\r" + PlainText.of(line) + "\u001b[K");
    screen.flush();
  }

  /** Takes the line away that was drawn. */
  public void wipe() {
    screen.print(WIPE);
    screen.flush();
  }

  /** Returns the emphasis and the width of results. */
  public Paint paint() {
    return new Paint(colour, columns);
  }

  private static PrintWriter utf8(FileDescriptor stream) {
    return new PrintWriter(
        new OutputStreamWriter(new FileOutputStream(stream), StandardCharsets.UTF_8));
  }
}

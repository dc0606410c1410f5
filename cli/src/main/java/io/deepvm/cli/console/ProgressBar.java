package io.deepvm.cli.console;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much of something long is done, drawn on the terminal from the second second on and wiped at
 * the end. Nothing is drawn where nobody watches.
 */
public final class ProgressBar implements AutoCloseable {

  private static final int WIDTH = 30;
  private static final long PATIENCE_MS = 2000;
  private static final long BEAT_MS = 200;

  private final Terminal terminal;
  private final String what;
  private final int total;
  private final long startMs;
  private final AtomicLong nextMs;
  private volatile boolean drawn;

  public ProgressBar(Terminal terminal, String what, int total) {
    this.terminal = terminal;
    this.what = what;
    this.total = total;
    startMs = terminal.clock().millis();
    nextMs = new AtomicLong(startMs + PATIENCE_MS);
  }

  /** Sets how much is done; any thread may call it. */
  public void at(int done) {
    if (!terminal.live()) {
      return;
    }
    long now = terminal.clock().millis();
    long due = nextMs.get();
    if (now >= due && nextMs.compareAndSet(due, now + BEAT_MS)) {
      draw(done, now);
    }
  }

  private void draw(int done, long now) {
    drawn = true;
    int filled = (int) ((long) WIDTH * done / total);
    long left = done == 0 ? 0 : (now - startMs) * (total - done) / done / 1000;
    synchronized (terminal.err()) {
      terminal.redraw(
          "%s [%s%s] %3d %%, about %d s left"
              .formatted(
                  what, "#".repeat(filled), ".".repeat(WIDTH - filled), 100L * done / total, left));
    }
  }

  @Override
  public void close() {
    if (drawn) {
      terminal.wipe();
    }
  }
}

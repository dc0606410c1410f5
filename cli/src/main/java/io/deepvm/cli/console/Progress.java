package io.deepvm.cli.console;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A line on the terminal that says what takes this long, drawn once it has taken two seconds and
 * wiped when it is done. Nothing is drawn, and no thread made, where nobody watches.
 */
public final class Progress {

  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final Duration BEAT = Duration.ofSeconds(1);

  private final Terminal terminal;
  private final String what;
  private final Duration patience;
  private final CountDownLatch done = new CountDownLatch(1);
  private final @Nullable Thread thread;

  /** Returns what the work returns, and shows that it goes on while it does. */
  public static <T> T during(Terminal terminal, String what, Supplier<T> work) {
    Progress progress = new Progress(terminal, what, PATIENCE);
    try {
      return work.get();
    } finally {
      progress.close();
    }
  }

  public Progress(Terminal terminal, String what, Duration patience) {
    this.terminal = terminal;
    this.what = what;
    this.patience = patience;
    thread = terminal.live() ? new Thread(this::draw, "progress") : null;
    if (thread != null) {
      thread.setDaemon(true);
      thread.start();
    }
  }

  private void draw() {
    try {
      long seconds = patience.toSeconds();
      boolean drawn = false;
      Duration wait = patience;
      while (!done.await(wait.toMillis(), TimeUnit.MILLISECONDS)) {
        terminal.redraw("%s ... %d s".formatted(what, seconds++));
        drawn = true;
        wait = BEAT;
      }
      if (drawn) {
        terminal.wipe();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public void close() {
    done.countDown();
    if (thread != null) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}

package io.deepvm.checkpoint.agent;

import io.deepvm.checkpoint.Metrics;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The figures of all sessions, each of which has an engine of its own. */
final class Tally {

  private Metrics ended = Metrics.NONE;
  private long endedAt = System.nanoTime();
  private @Nullable Supplier<Metrics> present;

  /** Counts this engine from now on. */
  synchronized void begin(Supplier<Metrics> engine) {
    end();
    present = engine;
  }

  /** Keeps what the present engine has counted, and lets go of it. */
  synchronized void end() {
    ended = sum();
    endedAt = System.nanoTime();
    present = null;
  }

  synchronized Metrics sum() {
    Supplier<Metrics> engine = present;
    return ended
        .aged(Duration.ofNanos(System.nanoTime() - endedAt))
        .then(engine == null ? Metrics.NONE : engine.get());
  }
}

package io.deepvm.checkpoint.agent;

import io.deepvm.checkpoint.Metrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The figures of all sessions, each of which has an engine of its own. */
final class Tally {

  private final List<Supplier<Metrics>> present = new ArrayList<>();
  private Metrics ended = Metrics.NONE;
  private long endedAt = System.nanoTime();

  /** Counts this engine from now on. */
  synchronized void begin(Supplier<Metrics> engine) {
    present.add(engine);
  }

  /** Keeps what an engine has counted, and lets go of it. */
  synchronized void end(Supplier<Metrics> engine) {
    if (present.remove(engine)) {
      ended = aged().then(engine.get());
      endedAt = System.nanoTime();
    }
  }

  synchronized Metrics sum() {
    Metrics sum = aged();
    for (Supplier<Metrics> engine : present) {
      sum = sum.then(engine.get());
    }
    return sum;
  }

  private Metrics aged() {
    return ended.aged(Duration.ofNanos(System.nanoTime() - endedAt));
  }
}

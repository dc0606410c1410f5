package io.deepvm.cluster;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.member.Report;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The steps that members tell of, of which only the newest is logged, and that now and then. */
final class Steps {

  static final long LOGGED_MS = 250;

  private final Consumer<Event> log;
  private Event.@Nullable Progress newest;
  private long toldGeneration = -1;
  private long toldStep = -1;
  private long loggedNanos = System.nanoTime();

  Steps(Consumer<Event> log) {
    this.log = log;
  }

  /** Every member tells of every step; the first to do so is heard. */
  void told(Node by, Report.Step step) {
    if (step.generation() <= toldGeneration && step.step() <= toldStep) {
      return;
    }
    toldGeneration = step.generation();
    toldStep = step.step();
    newest =
        new Event.Progress(
            by.name(),
            step.generation(),
            step.step(),
            step.samples(),
            step.loss(),
            step.computeSeconds(),
            step.communicationSeconds(),
            step.waitSeconds(),
            step.checkpointSeconds());
    if (System.nanoTime() - loggedNanos > LOGGED_MS * 1_000_000) {
      flush();
    }
  }

  /** The last step of all. */
  void finished(Node by, long generation, Report.Finished last) {
    newest =
        new Event.Progress(
            by.name(), generation, last.step(), last.samples(), last.loss(), 0, 0, 0, 0);
    flush();
  }

  /** Logs the newest step, so that what is logged next comes after it. */
  void flush() {
    Event.Progress progress = newest;
    if (progress != null) {
      newest = null;
      loggedNanos = System.nanoTime();
      log.accept(progress);
    }
  }
}

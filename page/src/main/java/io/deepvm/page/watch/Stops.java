package io.deepvm.page.watch;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.deepvm.base.BadInput;
import io.deepvm.base.DaemonThreads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The stops that pages asked for, and what came of each. */
final class Stops {

  /**
   * What came of the newest order to stop a run.
   *
   * @param asked whether there was one
   * @param failure why the run did not stop; null if it did or may still
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Outcome(boolean asked, boolean done, @Nullable String failure) {}

  private final WatchSite.Stopper stopper;
  private final Map<Path, Outcome> outcomes = new ConcurrentHashMap<>();

  Stops(WatchSite.Stopper stopper) {
    this.stopper = stopper;
  }

  /** Returns what came of the stop of a run. */
  Outcome of(Path run) {
    return outcomes.getOrDefault(run, new Outcome(false, false, null));
  }

  /** Stops a run on a thread of its own, unless it is being stopped. */
  void start(Path run) {
    Outcome under = new Outcome(true, false, null);
    Outcome before = outcomes.put(run, under);
    if (under.equals(before)) {
      return;
    }
    DaemonThreads.start("stop-run", () -> outcomes.put(run, stopped(run)));
  }

  private Outcome stopped(Path run) {
    try {
      stopper.stop(run);
      return new Outcome(true, true, null);
    } catch (BadInput e) {
      return new Outcome(true, false, e.getMessage() + " " + e.wayOut());
    } catch (IOException | UncheckedIOException | IllegalStateException e) {
      return new Outcome(true, false, String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Outcome(true, false, "The page was closed meanwhile.");
    }
  }
}

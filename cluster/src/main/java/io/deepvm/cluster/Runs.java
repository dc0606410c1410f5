package io.deepvm.cluster;

import io.deepvm.catalog.Place;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.EventLog;
import io.deepvm.cluster.log.History;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.market.Pool;
import io.deepvm.places.PlaceOfRun;
import io.deepvm.places.Places;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Runs seen from another process than the one that coordinates them. */
public final class Runs {

  private static final long POLL_MS = 50;

  private Runs() {}

  /**
   * Returns how the run in the folder stands: now while it is coordinated, else at its last event.
   */
  public static RunStatus status(Path folder, Clock clock) throws IOException {
    RunFolder run = RunFolder.of(folder);
    History history = history(run);
    return coordinated(folder) ? history.status(clock.millis()) : history.status();
  }

  /** Whether some process coordinates the run at this moment. */
  public static boolean coordinated(Path folder) throws IOException {
    try (RunFolder.Hold hold = RunFolder.of(folder).hold()) {
      return hold == null;
    }
  }

  /**
   * Ends the run in the folder with everything that belongs to it, even if no coordinator lives,
   * and returns how it ended, or how it stands when the patience is over.
   */
  public static RunStatus stop(Path folder, String reason, Duration patience)
      throws IOException, InterruptedException {
    RunFolder run = RunFolder.of(folder);
    run.askToStop(reason);
    for (long waited = 0; waited < patience.toMillis(); waited += POLL_MS) {
      if (!coordinated(folder)) {
        RunStatus status = history(run).status();
        return status.state().isEnd() ? status : clear(folder, run, patience);
      }
      Thread.sleep(POLL_MS);
    }
    return history(run).status();
  }

  /** Returns the nodes whose machines may still exist, by the log of the run. */
  public static List<String> unconfirmed(Path folder) throws IOException {
    Set<String> open = new LinkedHashSet<>();
    for (Logged logged : EventLog.read(RunFolder.of(folder).events())) {
      if (logged.event() instanceof Event.Rented rented) {
        open.add(rented.node());
      } else if (logged.event() instanceof Event.Gone gone) {
        open.remove(gone.node());
      }
    }
    return List.copyOf(open);
  }

  /** Coordinates the run for as long as it takes to stop it. */
  private static RunStatus clear(Path folder, RunFolder run, Duration patience)
      throws IOException, InterruptedException {
    List<Pool> pools = pools(EventLog.read(run.events()));
    PlaceOfRun.Making place = Places.of(folder).cloud(folder, pools);
    Setting setting =
        new Setting(
            place::make, 1, Setting.steadyScenario(1), (cluster, tick) -> {}, null, logged -> {});
    try (Run resumed = Run.resume(folder, setting)) {
      return resumed.await(patience);
    }
  }

  /** Returns the pools by the numbers that the log has for them. */
  private static List<Pool> pools(List<Logged> events) {
    TreeMap<Integer, Pool> known = new TreeMap<>();
    for (Logged logged : events) {
      if (logged.event() instanceof Event.Rented rented) {
        known.put(rented.pool(), pool(rented.poolName()));
      }
    }
    Pool other = new Pool(new Place("local", "local", null), "local");
    int count = known.isEmpty() ? 1 : known.lastKey() + 1;
    return IntStream.range(0, count).mapToObj(i -> known.getOrDefault(i, other)).toList();
  }

  /** The place does not matter any more: nothing is rented. */
  private static Pool pool(String name) {
    String type = name.substring(name.lastIndexOf(' ') + 1);
    return new Pool(new Place("local", "local", null), type);
  }

  private static History history(RunFolder run) throws IOException {
    History history = new History();
    EventLog.read(run.events()).forEach(history::add);
    return history;
  }
}

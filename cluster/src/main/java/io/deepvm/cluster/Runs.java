package io.deepvm.cluster;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.EventLog;
import io.deepvm.cluster.log.History;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.NodeStatus;
import io.deepvm.cluster.log.RunState;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.units.BadInput;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

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
   * Ends the run in the folder, whether or not a coordinator lives, with everything that belongs to
   * it, and returns how it ended.
   *
   * @param provider where its nodes are from, for when no coordinator is there to end them
   */
  public static RunStatus stop(Path folder, Provider provider, String reason, Duration patience)
      throws IOException, InterruptedException {
    return stop(folder, provider, reason, patience, Clock.systemUTC());
  }

  static RunStatus stop(
      Path folder, Provider provider, String reason, Duration patience, Clock clock)
      throws IOException, InterruptedException {
    RunFolder run = RunFolder.of(folder);
    run.askToStop(reason);
    long until = System.nanoTime() + patience.toNanos();
    while (System.nanoTime() < until) {
      try (RunFolder.Hold hold = run.hold()) {
        if (hold != null) {
          return clear(run, provider, reason, clock);
        }
      }
      Thread.sleep(POLL_MS);
    }
    throw new BadInput(
        "The run in %s did not end within %d s.".formatted(folder, patience.toSeconds()),
        "Maybe its coordinator hangs: end that process, and ask again.");
  }

  /** Ends what a coordinator that died left behind. */
  private static RunStatus clear(RunFolder run, Provider provider, String reason, Clock clock)
      throws IOException {
    History history = history(run);
    if (history.state().isEnd()) {
      return history.status();
    }
    try (EventLog log = EventLog.open(run.events());
        provider) {
      provider.open(run);
      long marketMs = Survivors.marketMs(history, run.spec(), clock.millis());
      List<Logged> losses = new ArrayList<>();
      List<NodeStatus> living =
          Survivors.adopt(
              history, run.spec(), provider, clock.millis(), name -> () -> {}, losses::add);
      for (Logged lost : losses) {
        add(history, log, lost);
      }
      Event resumed = new Event.Resumed("somebody came to end the run");
      add(history, log, new Logged(clock.millis(), marketMs, resumed));
      if (history.state() != RunState.STOPPING) {
        add(history, log, clock, new Event.RunTurned(RunState.STOPPING, reason, RunState.STOPPED));
      }
      String why = history.status().reason();
      for (NodeStatus node : living) {
        provider.end(node.node());
        add(
            history,
            log,
            clock,
            new Event.NodeTurned(node.node(), NodeState.RELEASED, "the run is over"));
      }
      add(history, log, clock, new Event.RunTurned(history.outcome(), why));
    }
    return history.status();
  }

  private static void add(History history, EventLog log, Clock clock, Event event)
      throws IOException {
    long now = clock.millis();
    add(history, log, new Logged(now, history.marketMsAt(now), event));
  }

  private static void add(History history, EventLog log, Logged logged) throws IOException {
    history.add(logged);
    log.append(logged);
  }

  private static History history(RunFolder run) throws IOException {
    History history = new History();
    EventLog.read(run.events()).forEach(history::add);
    return history;
  }
}

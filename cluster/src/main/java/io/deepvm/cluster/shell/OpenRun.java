package io.deepvm.cluster.shell;

import io.deepvm.base.BadInput;
import io.deepvm.cluster.Emulation;
import io.deepvm.cluster.RunFolder;
import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.Setting;
import io.deepvm.cluster.core.Input;
import io.deepvm.cluster.core.RunFacts;
import io.deepvm.cluster.core.RunState;
import io.deepvm.cluster.emulation.MarketPace;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.EventLog;
import io.deepvm.cluster.log.History;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.places.Cloud;
import io.deepvm.places.MarketTime;
import io.deepvm.simulator.Scenario;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A run that this process coordinates, with everything that only one process may have open. */
public final class OpenRun {

  private static final long POLL_MICROS = 200_000;

  private final RunFolder folder;
  private final RunFolder.Hold hold;
  private final EventLog log;
  private final RunThread thread;
  private final Coordinator coordinator;
  private final CompletableFuture<RunStatus> end = new CompletableFuture<>();

  private OpenRun(
      RunFolder folder,
      RunFolder.Hold hold,
      EventLog log,
      RunThread thread,
      Coordinator coordinator) {
    this.folder = folder;
    this.hold = hold;
    this.log = log;
    this.thread = thread;
    this.coordinator = coordinator;
  }

  /** Takes the folder's run over, new or old, and lets it run. */
  public static OpenRun start(RunFolder folder, Setting setting) throws IOException {
    RunFolder.Hold hold = folder.hold();
    if (hold == null) {
      throw new BadInput(
          "Another coordinator looks after the run in %s.".formatted(folder.path()),
          "Maybe ask for its status, or stop it first.");
    }
    EventLog log = null;
    RunThread thread = new RunThread();
    try {
      log = EventLog.open(folder.events());
      List<Logged> events = EventLog.read(folder.events());
      OpenRun run = open(folder, setting, hold, log, thread, events);
      run.watch();
      return run;
    } catch (IOException | RuntimeException e) {
      thread.stop();
      close(log, hold);
      throw e;
    }
  }

  private static OpenRun open(
      RunFolder folder,
      Setting setting,
      RunFolder.Hold hold,
      EventLog log,
      RunThread thread,
      List<Logged> events)
      throws IOException {
    History history = new History();
    events.forEach(history::add);
    RunStatus past = history.status();
    if (past.state().isEnd()) {
      throw new BadInput(
          "The run in %s is over: %s (%s).".formatted(folder.path(), past.state(), past.reason()),
          "Maybe start a new one in another folder.");
    }
    RunSpec spec = folder.spec();
    folder.writeWorkerToken();
    RunClock clock = new RunClock(past.atMs());
    Cloud cloud = setting.cloud().make(thread, clock);
    String host = cloud.prepare(folder.path());
    requireRoom(spec, cloud.limit());
    RunFacts facts = facts(spec, setting, cloud);
    LinkHolder holder = new LinkHolder(folder, spec, host, cloud.isHere(), thread);
    RunContext context =
        new RunContext(
            cloud,
            log,
            thread,
            clock,
            setting.policy(),
            setting.scenario(),
            setting.listener(),
            ordered -> AgentLaunch.order(folder, spec, holder.contact(), ordered));
    Coordinator coordinator;
    try {
      coordinator = new Coordinator(facts, events, context, holder::open);
    } catch (RuntimeException e) {
      cloud.close();
      throw e;
    }
    OpenRun run = new OpenRun(folder, hold, log, thread, coordinator);
    RunState state = RunState.of(facts, events);
    pace(setting, context, coordinator, state, history.share());
    long marketMs = Tenancies.marketMs(history, spec, clock.millis());
    String why = folder.stopAsked();
    Input.Stop stop = why == null ? null : new Input.Stop(RunPhase.STOPPED, why);
    thread.execute(() -> run.begin(marketMs, stop));
    return run;
  }

  private static void requireRoom(RunSpec spec, int limit) {
    int least = spec.minWorkers() + spec.servers();
    if (least > limit) {
      throw new BadInput(
          "The run needs %d nodes, the provider has room for %d.".formatted(least, limit),
          "Maybe ask for fewer, or raise the provider's limit.");
    }
  }

  private static RunFacts facts(RunSpec spec, Setting setting, Cloud cloud) {
    Scenario scenario = setting.scenario();
    // A plan's parameter servers are among its anchors, which are paid for as such.
    double serverUsd =
        scenario.anchors() > 0 || spec.servers() == 0
            ? 0
            : cloud.market().onDemandUsdPerHour(spec.serverPool());
    Event.Started started =
        new Event.Started(
            spec.name(),
            setting.speed(),
            Math.round(1000 * scenario.billing().granularitySeconds()),
            Math.round(1000 * scenario.billing().minimumSeconds()),
            scenario.anchorsPerHour().micros());
    return new RunFacts(
        spec,
        cloud.market().pools(),
        cloud.limit(),
        scenario.workers(),
        Math.round(serverUsd * 1e6),
        started);
  }

  /** Lets the market's time wait for processes that stand for faster ones. */
  private static void pace(
      Setting setting, RunContext context, Coordinator coordinator, RunState state, double share) {
    Emulation emulation = setting.emulation();
    if (emulation != null) {
      MarketTime time =
          context
              .cloud()
              .played()
              .orElseThrow(
                  () -> new IllegalArgumentException("Only a played market can be slowed down."));
      MarketPace pace =
          new MarketPace(
              emulation,
              time,
              new MarketPace.Surroundings(
                  setting.scenario(),
                  context.timers(),
                  context.clock(),
                  now -> coordinator.post(new Input.Paced(now))),
              state,
              share);
      coordinator.observe(pace::check);
    }
  }

  private void begin(long marketMs, Input.@Nullable Stop stop) {
    try {
      coordinator.open(marketMs, stop);
    } catch (IOException | RuntimeException e) {
      coordinator.fail(e);
    }
  }

  /** Looks for requests to stop, and lets go of everything at the end. */
  private void watch() {
    poll();
    var unused =
        coordinator
            .end()
            .whenComplete(
                (status, failure) -> {
                  thread.stop();
                  close(log, hold);
                  if (failure == null) {
                    end.complete(status);
                  } else {
                    end.completeExceptionally(failure);
                  }
                });
  }

  private void poll() {
    thread.after(
        POLL_MICROS,
        () -> {
          try {
            String why = folder.stopAsked();
            if (why != null) {
              coordinator.post(new Input.Stop(RunPhase.STOPPED, why));
            }
          } catch (IOException e) {
            // The folder is out of reach for the moment, and is read again.
          }
          poll();
        });
  }

  private static void close(@Nullable EventLog log, RunFolder.Hold hold) {
    try (hold;
        log) {
      // In the order opposite to that of opening.
    } catch (IOException e) {
      // Nothing is lost: the log was synced.
    }
  }

  /** Ends the run as STOPPED or INTERRUPTED. */
  public void stop(RunPhase outcome, String why) {
    thread.execute(() -> coordinator.post(new Input.Stop(outcome, why)));
  }

  /** Ends this coordinator alone: another one goes on with the nodes. */
  public void leave(BadInput why) {
    thread.execute(() -> coordinator.fail(why));
  }

  /** Returns the end of the run, after which this process holds nothing of it. */
  public CompletableFuture<RunStatus> end() {
    return end;
  }

  /** Returns how the run stands now. */
  public RunStatus status() {
    return coordinator.status();
  }
}

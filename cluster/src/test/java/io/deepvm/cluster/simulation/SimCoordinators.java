package io.deepvm.cluster.simulation;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.cluster.core.Input;
import io.deepvm.cluster.core.Obligations;
import io.deepvm.cluster.core.RunFacts;
import io.deepvm.cluster.core.RunState;
import io.deepvm.cluster.log.History;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.cluster.shell.Coordinator;
import io.deepvm.cluster.shell.RunContext;
import io.deepvm.cluster.shell.Tenancies;
import io.deepvm.places.Launch;
import io.deepvm.places.Order;
import io.deepvm.places.Timers;
import io.deepvm.simulator.Billing;
import io.deepvm.simulator.Checkpointing;
import io.deepvm.simulator.Recovery;
import io.deepvm.simulator.Scenario;
import io.deepvm.simulator.Startup;
import io.deepvm.simulator.Throughput;
import io.deepvm.simulator.policy.InPlace;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The coordinator's processes, one after another: at most one holds the folder of the run. */
final class SimCoordinators {

  /** How often somebody may meddle with the coordinator. */
  private static final long MEDDLE_MS = 1_000;

  private static final long POLL_MS = 200;

  /** A process that stood still, or whose clock jumped, needs this long to notice. */
  private static final long RECOVER_MS = 1_500;

  /** What surrounds the processes. */
  record World(
      Scheduler scheduler,
      Faults faults,
      SimDisk disk,
      SimNetwork network,
      SimCloud cloud,
      RunChecks checks) {}

  private final World world;
  private final RunFacts facts;
  private final Scheduler scheduler;
  private final Faults faults;
  private final Chance chance;
  private final Chance deaths;
  private final Consumer<String> trace;
  private final Consumer<Logged> written;
  private final Scheduler.Life outside = new Scheduler.Life();
  private final List<long[]> pauses = new ArrayList<>();
  private final long startMs;

  /** The process that holds the folder; the kernel lets go of it when the process is dead. */
  private Scheduler.Life holder = new Scheduler.Life();

  private Coordinator coordinator;
  private @Nullable RunStatus end;
  private long processes;
  private long skewMs;
  private long quietUntilMs;
  private long standsUntilMs;
  private boolean starts;
  private Clock clock;

  SimCoordinators(
      World world, long seed, RunFacts facts, Consumer<String> trace, Consumer<Logged> written) {
    this.world = world;
    this.facts = facts;
    this.scheduler = world.scheduler();
    this.faults = world.faults();
    this.chance = new Chance(seed, "run");
    this.deaths = new Chance(seed, "deaths");
    this.trace = trace;
    this.written = written;
    this.startMs = scheduler.nowMs();
    holder.kill();
  }

  /** Starts the first coordinator, and whatever disturbs it and its successors. */
  void begin() {
    start();
    scheduler.afterMs(outside, MEDDLE_MS, this::meddle);
  }

  /** Returns how the run ended; null before. */
  @Nullable RunStatus end() {
    return end;
  }

  RunStatus status() {
    return coordinator.status();
  }

  /** Returns how many coordinators there were. */
  long processes() {
    return processes;
  }

  /** Returns when no coordinator worked, as pairs of moments since the start of the run. */
  List<long[]> pauses() {
    return pauses;
  }

  /** Whether somebody has asked for the end of the run. */
  boolean isStopAsked() {
    return scheduler.nowMs() - startMs >= faults.stopMs;
  }

  /** Checks that a coordinator that works has a timer. */
  void checkTimers() {
    boolean works = !holder.isDead() && scheduler.nowMs() >= quietUntilMs;
    RunPhase phase = world.checks().state().phase().now();
    if (works && !phase.isEnd() && phase != RunPhase.INTERRUPTED) {
      world.checks().timed(clock.millis());
    }
  }

  // --- Disturbances ---

  private void meddle() {
    if (faults.happens(chance, faults.secondCoordinator)) {
      start();
    }
    if (!holder.isDead() && faults.happens(chance, faults.coordinatorStands)) {
      long ms = chance.between(100, 20_000);
      trace.accept(scheduler.nowMs() + " -- the coordinator stands still for " + ms + " ms --");
      scheduler.stand(holder, ms);
      standsUntilMs = scheduler.nowMs() + ms;
      quietUntilMs = Math.max(quietUntilMs, standsUntilMs + RECOVER_MS);
      pauses.add(new long[] {scheduler.nowMs() - startMs, standsUntilMs - startMs});
    }
    if (faults.happens(chance, faults.clockJumps)) {
      skewMs += chance.between(-60_000, 60_000);
      trace.accept(scheduler.nowMs() + " -- the clock jumps --");
      quietUntilMs = Math.max(quietUntilMs, scheduler.nowMs() + RECOVER_MS);
    }
    if (!holder.isDead() && faults.happens(chance, faults.interrupted)) {
      Coordinator asked = coordinator;
      String why = "the coordinator was interrupted";
      scheduler.afterMs(holder, 0, () -> asked.post(new Input.Stop(RunPhase.INTERRUPTED, why)));
    }
    world.network().maySplit();
    scheduler.afterMs(outside, MEDDLE_MS, this::meddle);
  }

  private void mayDie(Scheduler.Life mine) {
    if (!mine.isDead() && mine == holder && faults.happens(deaths, faults.coordinatorDies)) {
      mine.kill();
      world.disk().crash(deaths);
      trace.accept(scheduler.nowMs() + " -- the coordinator dies --");
      restart();
    }
  }

  private void restart() {
    long pause = deaths.hits(0.2) ? deaths.between(0, 50_000) : deaths.between(0, 4_000);
    pauses.add(new long[] {scheduler.nowMs() - startMs, scheduler.nowMs() + pause - startMs});
    if (!starts) {
      starts = true;
      scheduler.afterMs(
          outside,
          pause,
          () -> {
            starts = false;
            start();
          });
    }
  }

  /** Only the process that holds the folder may act. */
  private void acts(Scheduler.Life mine) {
    if (!mine.isDead() && mine != holder) {
      throw new AssertionError("Two coordinators act.");
    }
    mayDie(mine);
  }

  // --- Processes ---

  /** Starts a process, which ends at once if another one holds the folder or the run is over. */
  private void start() {
    if (!holder.isDead()) {
      return;
    }
    List<Logged> past = world.disk().read();
    History history = new History();
    past.forEach(history::add);
    if (history.state().isEnd()) {
      end = history.status();
      return;
    }
    Scheduler.Life mine = new Scheduler.Life();
    holder = mine;
    processes++;
    long lastMs = past.isEmpty() ? 0 : past.get(past.size() - 1).atMs();
    skewMs = faults.isOver() ? skewMs : chance.hits(0.2) ? chance.between(-60_000, 60_000) : skewMs;
    long behind = Math.max(0, lastMs - scheduler.nowMs() - skewMs);
    clock = new SimClock(() -> scheduler.nowMs() + skewMs + behind);
    world.checks().restarted(past);
    Runnable acts = () -> acts(mine);
    Runnable mayDie = () -> mayDie(mine);
    RunContext context =
        new RunContext(
            world.cloud().open(mine, acts, mayDie),
            world.disk().open(mine, acts, mayDie, () -> faults.happens(deaths, faults.diskFails)),
            timers(mine),
            clock,
            new InPlace(new int[] {2, 1}, new int[] {0, 0}),
            scenario(),
            logged -> seen(mine, logged),
            SimCoordinators::order);
    coordinator =
        new Coordinator(
            facts, past, context, listener -> world.network().open(mine, listener, acts));
    coordinator.observe(state -> seen(mine, state));
    Coordinator made = coordinator;
    var unused = made.end().whenComplete((status, failure) -> ended(mine, status, failure));
    open(made, Tenancies.marketMs(history, facts.spec(), clock.millis()));
    scheduler.afterMs(mine, POLL_MS, () -> poll(mine, made));
  }

  private void open(Coordinator made, long marketMs) {
    try {
      made.open(marketMs, isStopAsked() ? new Input.Stop(RunPhase.STOPPED, "enough") : null);
    } catch (IOException | RuntimeException e) {
      made.fail(e);
    }
  }

  private void poll(Scheduler.Life mine, Coordinator made) {
    if (isStopAsked()) {
      made.post(new Input.Stop(RunPhase.STOPPED, "enough"));
    }
    scheduler.afterMs(mine, POLL_MS, () -> poll(mine, made));
  }

  private void ended(Scheduler.Life mine, @Nullable RunStatus status, @Nullable Throwable failure) {
    if (mine.isDead()) {
      return;
    }
    mine.kill();
    world.disk().left();
    if (failure != null) {
      trace.accept(scheduler.nowMs() + " -- the coordinator fails: " + failure + " --");
      requireDiskFailure(failure);
      restart();
    } else if (status.state() == RunPhase.INTERRUPTED) {
      restart();
    } else {
      end = status;
    }
  }

  /** Nothing but the disk may make a coordinator give up. */
  private static void requireDiskFailure(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof IOException) {
        return;
      }
    }
    throw new AssertionError("The coordinator failed: " + failure, failure);
  }

  private void seen(Scheduler.Life by, Logged logged) {
    // A process that was killed in the middle of its work writes nothing.
    if (by == holder && !by.isDead()) {
      written.accept(logged);
    }
  }

  private void seen(Scheduler.Life by, RunState state) {
    if (by == holder && !by.isDead()) {
      world.checks().actedOn(state);
    }
  }

  private Timers timers(Scheduler.Life mine) {
    return new Timers() {
      @Override
      public void after(long micros, Runnable task) {
        scheduler.after(mine, micros, task);
      }

      @Override
      public void aside(Runnable task) {
        scheduler.after(mine, 1_000, task);
      }
    };
  }

  private static Order order(Obligations.Ordered ordered) {
    return new Order(
        "run-" + ordered.node(),
        ordered.node(),
        ordered.pool(),
        ordered.market(),
        new Launch(List.of("agent"), Map.of()));
  }

  private static Scenario scenario() {
    return new Scenario(
        new Throughput.ByCount(new double[] {1, 2, 3, 4}),
        1e6,
        3,
        Double.POSITIVE_INFINITY,
        -1,
        0,
        Money.ZERO,
        Recovery.SURVIVORS,
        Checkpointing.none(new DataSize(1_000_000)),
        Startup.USUAL,
        Billing.EXACT,
        new double[2][2]);
  }

  /** A clock that shows simulated time and, like that of a run, never goes back. */
  private static final class SimClock extends Clock {
    private final LongSupplier ms;
    private long newest;

    SimClock(LongSupplier ms) {
      this.ms = ms;
    }

    @Override
    public Instant instant() {
      newest = Math.max(newest, ms.getAsLong());
      return Instant.ofEpochMilli(newest);
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }
}

package io.deepvm.cluster.simulation;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.core.RunFacts;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.History;
import io.deepvm.cluster.log.Logged;
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

/** One run with everything around it simulated, from a seed. */
final class SimRun {

  /** How long faults happen, and how long a run may take after the last one. */
  private static final long FAULTS_MS = 180_000;

  private static final long PATIENCE_MS = 900_000;

  /** What came of a run. */
  record Result(
      long seed, RunStatus status, long faults, long events, long coordinators, long hash) {}

  private final long seed;
  private final Consumer<String> trace;
  private final Scheduler scheduler = new Scheduler();
  private final Scheduler.Life world = new Scheduler.Life();
  private final Faults faults;
  private final SimDisk disk = new SimDisk();
  private final Chance chance;
  private final Chance deaths;
  private final RunSpec spec;
  private final RunFacts facts;
  private final SimTraining training;
  private final SimNetwork network;
  private final SimCloud cloud;
  private Scheduler.Life process = new Scheduler.Life();
  private Coordinator coordinator;
  private long coordinators;
  private long skewMs;
  private long hash = 17;
  private long events;
  private final RunChecks checks;
  private Clock clock;

  SimRun(long seed, Consumer<String> trace) {
    this.seed = seed;
    this.trace = trace;
    faults = new Faults(seed);
    chance = new Chance(seed, "run");
    deaths = new Chance(seed, "deaths");
    boolean command = seed % 3 == 0;
    // Some runs have no bound to silence, so that nothing else hides a loss that nobody handles.
    boolean bounded = chance.hits(0.5);
    int servers = !command && seed % 5 == 1 ? 1 : 0;
    Work work =
        new Work(
            List.of("train"),
            command ? Work.Kind.COMMAND : Work.Kind.MEMBER,
            Map.of(),
            "",
            1_000_000,
            "",
            new Work.Timeouts(6, 40, 2, 20, 30).withForm(20).withSilence(bounded ? 30 : 0));
    spec =
        RunSpec.of("run", work)
            .withPatience(60, 0.3, 5, 1)
            .withMinWorkers(1 + chance.below(2))
            .withServers(servers, 0);
    facts = new RunFacts(spec, SimCloud.POOLS, 12, 3, 0, new Event.Started("run", 1, 1, 0, 50_000));
    checks = new RunChecks(facts);
    long steps = chance.hits(0.5) ? 60 : 300;
    training =
        new SimTraining(scheduler, seed, faults, new SimTraining.Task(command, bounded, steps));
    network = new SimNetwork(scheduler, seed, faults, work.timeouts().sessionSeconds());
    cloud = new SimCloud(scheduler, world, seed, faults, disk, this::boot);
  }

  private SimNode boot(String name) {
    SimNode[] made = new SimNode[1];
    made[0] =
        new SimNode(
            name,
            spec.work(),
            scheduler,
            training,
            network::send,
            () -> {
              network.detached(made[0]);
              cloud.left(name);
            });
    network.attach(made[0]);
    return made[0];
  }

  /** Lives the run to its end and checks it on the way. */
  Result live() {
    start();
    long faultsEnd = scheduler.nowMs() + FAULTS_MS;
    while (scheduler.step(faultsEnd) && !isDone()) {
      check();
    }
    faults.stop();
    long end = faultsEnd + PATIENCE_MS;
    while (!isDone()) {
      if (!scheduler.step(end)) {
        throw new AssertionError("The run does not end: " + coordinator.status().state());
      }
      check();
    }
    RunStatus status = status();
    checkEnd(status);
    return new Result(seed, status, faults.injected(), events, coordinators, hash);
  }

  private boolean isDone() {
    return coordinator.end().isDone() && !process.isDead();
  }

  private RunStatus status() {
    return coordinator.end().getNow(null);
  }

  // --- The coordinator's process ---

  private void start() {
    process = new Scheduler.Life();
    coordinators++;
    List<Logged> past = disk.read();
    long lastMs = past.isEmpty() ? 0 : past.get(past.size() - 1).atMs();
    skewMs = faults.isOver() ? skewMs : chance.hits(0.2) ? chance.between(-60_000, 60_000) : skewMs;
    long behind = Math.max(0, lastMs - scheduler.nowMs() - skewMs);
    Scheduler.Life mine = process;
    Runnable mayDie = () -> mayDie(mine);
    clock = new SimClock(() -> scheduler.nowMs() + skewMs + behind);
    checks.restarted(past);
    var handle = cloud.open(mine, mayDie);
    Timers timers =
        new Timers() {
          @Override
          public void after(long micros, Runnable task) {
            scheduler.after(mine, micros, task);
          }

          @Override
          public void aside(Runnable task) {
            scheduler.after(mine, 1_000, task);
          }
        };
    RunContext context =
        new RunContext(
            handle,
            disk.open(mine, mayDie, mayDie),
            timers,
            clock,
            new InPlace(new int[] {2, 1}, new int[] {0, 0}),
            scenario(),
            logged -> seen(mine, logged),
            ordered ->
                new Order(
                    "run-" + ordered.node(),
                    ordered.node(),
                    ordered.pool(),
                    ordered.market(),
                    new Launch(List.of("agent"), Map.of())));
    coordinator =
        new Coordinator(facts, past, context, listener -> network.open(mine, listener, mayDie));
    coordinator.observe(
        state -> {
          if (mine == process && !mine.isDead()) {
            checks.actedOn(state);
          }
        });
    History history = new History();
    past.forEach(history::add);
    try {
      coordinator.open(Tenancies.marketMs(history, spec, clock.millis()), null);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
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

  private void mayDie(Scheduler.Life mine) {
    if (!mine.isDead() && mine == process && faults.happens(deaths, faults.coordinatorDies)) {
      mine.kill();
      disk.crash(deaths);
      trace.accept(scheduler.nowMs() + " -- the coordinator dies --");
      long pause = deaths.hits(0.2) ? deaths.between(0, 50_000) : deaths.between(0, 4_000);
      scheduler.afterMs(world, pause, this::start);
    }
  }

  // --- Checks ---

  private void seen(Scheduler.Life by, Logged logged) {
    if (by != process || by.isDead()) {
      // A process that was killed in the middle of its work writes nothing.
      return;
    }
    events++;
    String line = logged.atMs() + " " + logged.marketMs() + " " + logged.event();
    hash = 31 * hash + line.hashCode();
    trace.accept(line);
    checks.written(logged);
  }

  private void check() {
    checks.settled(training.durable(), cloud.existing());
    if (!process.isDead() && !coordinator.end().isDone() && !checks.state().isOver()) {
      checks.timed(clock.millis());
    }
  }

  private void checkEnd(RunStatus status) {
    checks.ended(status, disk.written(), disk.read());
    if (!cloud.existing().isEmpty()) {
      throw new AssertionError("These machines are left: " + cloud.existing());
    }
  }

  /** A clock that shows simulated time. */
  private static final class SimClock extends Clock {
    private final LongSupplier ms;

    SimClock(LongSupplier ms) {
      this.ms = ms;
    }

    @Override
    public Instant instant() {
      return Instant.ofEpochMilli(ms.getAsLong());
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

  /** Runs a seed and returns its events, one a line. */
  static List<String> lines(long seed) {
    List<String> lines = new ArrayList<>();
    new SimRun(seed, lines::add).live();
    return lines;
  }
}

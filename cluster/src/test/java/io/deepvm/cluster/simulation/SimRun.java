package io.deepvm.cluster.simulation;

import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.core.RunFacts;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.RunStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** One run with everything around it simulated, from a seed. */
final class SimRun {

  /** How long faults happen, and how long a run may take after the last one. */
  private static final long FAULTS_MS = 180_000;

  private static final long PATIENCE_MS = 900_000;

  /** An agent does something this many times more often than a cloud looks at its machines. */
  private static final double AGENT_STEPS = 20;

  /** What came of a run. */
  record Result(
      long seed, RunStatus status, long faults, long events, long coordinators, long hash) {}

  private final long seed;
  private final Consumer<String> trace;
  private final Scheduler scheduler = new Scheduler();
  private final Faults faults;
  private final SimDisk disk = new SimDisk();
  private final Chance agentDeaths;
  private final RunSpec spec;
  private final SimTraining training;
  private final SimNetwork network;
  private final SimCloud cloud;
  private final RunChecks checks;
  private final SimCoordinators coordinators;
  private final SimBill bill = new SimBill();
  private final long startMs = scheduler.nowMs();
  private long hash = 17;
  private long events;

  SimRun(long seed, Consumer<String> trace) {
    this.seed = seed;
    this.trace = trace;
    faults = new Faults(seed);
    Chance chance = new Chance(seed, "work");
    agentDeaths = new Chance(seed, "agents");
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
    Event.Started started = new Event.Started("run", 1, 1, 0, 50_000);
    RunFacts facts = new RunFacts(spec, SimCloud.POOLS, 12, 3, 0, started);
    checks = new RunChecks(facts);
    network = new SimNetwork(scheduler, seed, faults, work.timeouts().sessionSeconds());
    training =
        new SimTraining(
            scheduler,
            seed,
            faults,
            new SimTraining.Task(command, bounded, chance.hits(0.5) ? 60 : 300),
            network::reaches);
    cloud = new SimCloud(scheduler, new Scheduler.Life(), seed, faults, disk, this::boot);
    SimCoordinators.World world =
        new SimCoordinators.World(scheduler, faults, disk, network, cloud, checks);
    coordinators = new SimCoordinators(world, seed, facts, trace, this::written);
  }

  private SimNode boot(String name) {
    SimNode[] made = new SimNode[1];
    Runnable gone =
        () -> {
          network.detached(made[0]);
          cloud.left(name);
        };
    made[0] =
        new SimNode(
            name,
            spec.work(),
            scheduler,
            training,
            network::send,
            new SimNode.Surroundings(gone, this::agentMayDie));
    network.attach(made[0]);
    return made[0];
  }

  private void agentMayDie(SimNode node) {
    if (faults.happens(agentDeaths, faults.agentDies / AGENT_STEPS)) {
      node.kill();
    }
  }

  /** Lives the run to its end and checks it on the way. */
  Result live() {
    coordinators.begin();
    long faultsEnd = scheduler.nowMs() + FAULTS_MS;
    while (coordinators.end() == null && scheduler.step(faultsEnd)) {
      check();
    }
    faults.stop();
    long end = faultsEnd + PATIENCE_MS;
    while (coordinators.end() == null) {
      if (!scheduler.step(end)) {
        throw new AssertionError("The run does not end: " + coordinators.status().state());
      }
      check();
    }
    RunStatus status = coordinators.end();
    checkEnd(status);
    long all = 31 * hash + scheduler.planned();
    return new Result(seed, status, faults.injected(), events, coordinators.processes(), all);
  }

  // --- Checks ---

  private void written(Logged logged) {
    events++;
    String line = logged.atMs() + " " + logged.marketMs() + " " + logged.event();
    hash = 31 * hash + line.hashCode();
    trace.accept(line);
    checks.written(logged);
    bill.written(logged.event(), scheduler.nowMs() - startMs);
  }

  private void check() {
    checks.settled(training.durable(), cloud.existing());
    coordinators.checkTimers();
  }

  private void checkEnd(RunStatus status) {
    if (!isAllowed(status)) {
      throw new AssertionError(
          "The run ended as %s: %s".formatted(status.state(), status.reason()));
    }
    checks.ended(status, disk.written(), disk.read());
    if (!cloud.existing().isEmpty()) {
      throw new AssertionError("These machines are left: " + cloud.existing());
    }
    bill.check(cloud.lifetimes(), coordinators.pauses());
  }

  /** Whether a run may end like this after what happened to it. */
  private boolean isAllowed(RunStatus status) {
    String reason = status.reason();
    return switch (status.state()) {
      case FINISHED -> true;
      case STOPPED -> coordinators.isStopAsked();
      case INFEASIBLE -> cloud.isClosed();
      case FAILED ->
          reason.contains("before their agent reported")
              || (faults.deniedFrom == 0 && reason.contains("No pool gives nodes"))
              || (faults.deniedFrom == 0 && reason.contains("The pool of the servers"));
      default -> false;
    };
  }

  /** Runs a seed and returns its events, one a line. */
  static List<String> lines(long seed) {
    List<String> lines = new ArrayList<>();
    new SimRun(seed, lines::add).live();
    return lines;
  }
}

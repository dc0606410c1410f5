package io.deepvm.cluster.simulation;

import io.deepvm.catalog.Market;
import io.deepvm.checkpoint.TicketState;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.cluster.core.Machine;
import io.deepvm.cluster.core.NodeLife;
import io.deepvm.cluster.core.RunFacts;
import io.deepvm.cluster.core.RunMachine;
import io.deepvm.cluster.core.RunState;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.log.RunStatus;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What must hold at every moment of a run, whatever fails. The checks read the events and compare
 * them with what the simulated cloud and the simulated processes really do.
 */
final class RunChecks {

  /** A timer that has come must have an effect within this time. */
  private static final long LATE_MS = 1_000;

  private final RunFacts facts;
  private RunState state;
  private final Set<String> granted = new LinkedHashSet<>();
  private long newestSafe;

  /** The newest saved step when the newest generation formed, which must not train on from less. */
  private long safeBefore;

  private long newestGeneration;

  /** The newest generation that has begun by what is on disk. */
  private long knownGeneration;

  RunChecks(RunFacts facts) {
    this.facts = facts;
    this.state = RunState.of(facts);
  }

  /** A new coordinator starts from what is on disk. */
  void restarted(List<Logged> onDisk) {
    state = RunState.of(facts, onDisk);
    knownGeneration = onDisk.stream().mapToLong(RunChecks::begun).max().orElse(0);
  }

  RunState state() {
    return state;
  }

  /** Returns the generation in which the event shows that training has begun; 0 if in none. */
  private static long begun(Logged logged) {
    return logged.event() instanceof Event.Joined joined
        ? joined.generation()
        : logged.event() instanceof Event.Progress progress ? progress.generation() : 0;
  }

  /** Checks an event that a living coordinator writes. */
  void written(Logged logged) {
    RunState before = state;
    state = state.after(logged);
    Event event = logged.event();
    if (event instanceof Event.Granted e) {
      granted.add(e.node());
    } else if (event instanceof Event.NodeTurned e) {
      require(
          e.to() != NodeState.REFUSED || !granted.contains(e.node()),
          () -> "The node %s counts as refused after its order was granted.".formatted(e.node()));
    } else if (event instanceof Event.Joined e) {
      require(
          e.generation() < newestGeneration || e.step() < 0 || e.step() >= safeBefore,
          () ->
              "Training goes on from step %d, although step %d was saved."
                  .formatted(e.step(), safeBefore));
      stepsStay(before, e.generation() > knownGeneration);
      knownGeneration = Math.max(knownGeneration, e.generation());
    } else if (event instanceof Event.Progress e) {
      stepsStay(before, false);
      knownGeneration = Math.max(knownGeneration, e.generation());
    } else if (event instanceof Event.Saved e && TicketState.reaches(e.state(), Level.DURABLE)) {
      newestSafe = Math.max(newestSafe, e.step());
      stepsStay(before, false);
    } else if (event instanceof Event.Generation e) {
      require(
          e.number() >= newestGeneration, () -> "Generation %d comes late.".formatted(e.number()));
      newestGeneration = e.number();
      safeBefore = newestSafe;
      before.members().forEach(life -> leavesForReason(life, e));
    } else {
      stepsStay(before, false);
    }
  }

  private void stepsStay(RunState before, boolean first) {
    require(
        first || state.steps().step() >= before.steps().step(),
        () ->
            "Step %d follows step %d in one generation."
                .formatted(state.steps().step(), before.steps().step()));
  }

  /** A member that works stays a member; a new coordinator waits for it to report. */
  private static void leavesForReason(NodeLife life, Event.Generation next) {
    boolean works = life.ready() && life.state() == NodeState.TRAINING;
    require(
        !works || next.members().contains(life.name()),
        () -> "Generation %d leaves out %s, which trains.".formatted(next.number(), life.name()));
  }

  /** Checks a state on which the coordinator has just acted. */
  void actedOn(RunState its) {
    require(its.equals(state), () -> "The log gives another state than the coordinator has.");
    boolean forms = its.is(RunPhase.FORMING) || its.is(RunPhase.TRAINING);
    boolean waits = its.living().stream().anyMatch(life -> mustReport(its, life));
    for (NodeLife member : forms && !waits && its.rents() ? its.members() : List.<NodeLife>of()) {
      require(
          member.lives(),
          () -> "Generation %d goes on without %s.".formatted(newestGeneration, member.name()));
    }
  }

  /** Whether the agent of a node that worked has not yet reported to a new coordinator. */
  private static boolean mustReport(RunState its, NodeLife life) {
    boolean worked = life.state() != NodeState.REQUESTED && life.state() != NodeState.BOOTING;
    return worked && life.agent() != null && life.agent().epoch() != its.epoch();
  }

  /**
   * Checks what holds between two events.
   *
   * @param durable the newest step that really is saved
   * @param machines the machines that exist
   */
  void settled(long durable, Collection<String> machines) {
    require(
        newestSafe <= durable,
        () -> "Step %d counts as saved, and only %d is.".formatted(newestSafe, durable));
    for (String name : machines) {
      NodeLife life = state.find(name);
      require(life != null, () -> "The machine of %s is not in the log.".formatted(name));
      require(
          !(life.machine() instanceof Machine.Gone),
          () -> "The machine of %s exists, although the log says that it is gone.".formatted(name));
    }
  }

  /** Checks that the coordinator has a timer, and that no timer has come without effect. */
  void timed(long nowMs) {
    long wake = RunMachine.wakeMs(state);
    require(wake < Long.MAX_VALUE, () -> "The run waits without a timer.");
    require(
        wake > nowMs - LATE_MS,
        () -> "A timer came %d ms ago, and nothing followed.".formatted(nowMs - wake));
  }

  /** Checks the end of a run. */
  void ended(RunStatus status, List<Logged> written, List<Logged> onDisk) {
    require(RunState.of(facts, onDisk).equals(state), () -> "The end of the run is not on disk.");
    require(
        !status.reason().contains("has not confirmed"),
        () -> "The run ended before its machines: %s".formatted(status.reason()));
    long leases = leases(written);
    long nodes = status.nodes().stream().mapToLong(node -> node.cost().micros()).sum();
    require(
        leases == nodes,
        () -> "The leases cost %d micro-dollars, the bill has %d.".formatted(leases, nodes));
  }

  /** Adds the leases up: each is paid by its price from the order until the end of the node. */
  private static long leases(List<Logged> events) {
    Map<String, Event.Rented> open = new LinkedHashMap<>();
    Map<String, Long> fromMs = new LinkedHashMap<>();
    Map<String, Long> rate = new LinkedHashMap<>();
    Map<String, Long> owed = new LinkedHashMap<>();
    long all = 0;
    long nowMs = 0;
    for (Logged logged : events) {
      nowMs = Math.max(nowMs, logged.marketMs());
      if (logged.event() instanceof Event.Rented e) {
        open.put(e.node(), e);
        fromMs.put(e.node(), nowMs);
        rate.put(e.node(), e.microsPerHour());
        owed.put(e.node(), 0L);
      } else if (logged.event() instanceof Event.Priced e) {
        for (Event.Rented rented : open.values()) {
          if (rented.pool() == e.pool() && rented.market() == Market.SPOT) {
            owed.merge(
                rented.node(),
                rate.get(rented.node()) * (nowMs - fromMs.get(rented.node())),
                Long::sum);
            fromMs.put(rented.node(), nowMs);
            rate.put(rented.node(), e.microsPerHour());
          }
        }
      } else if (logged.event() instanceof Event.NodeTurned e && e.to().isEnd()) {
        open.remove(e.node());
        long micros = owed.get(e.node()) + rate.get(e.node()) * (nowMs - fromMs.get(e.node()));
        all += e.to() == NodeState.REFUSED ? 0 : (micros + 1_800_000) / 3_600_000;
      }
    }
    require(open.isEmpty(), () -> "These leases are open at the end: %s".formatted(open.keySet()));
    return all;
  }

  private static void require(boolean holds, Supplier<String> otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise.get());
    }
  }
}

package io.deepvm.cluster;

import io.deepvm.catalog.Market;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.History;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunState;
import io.deepvm.cluster.member.Role;
import io.deepvm.simulator.Scenario;
import io.deepvm.simulator.Startup;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Slows the market's time down while this machine is slower than the machines that it stands for.
 *
 * <p>A node that the market has booted counts as training, from the time that re-forming takes in
 * the plan. While its process is still starting, the market's time passes at the share of the speed
 * that the others have, and stands still when nobody trains. So the work that is done in an hour of
 * the market is what the plan says, and a slow start here costs nothing there.
 */
final class MarketPace {

  /**
   * The longest time for which the market stands still, so that no fault makes a run wait for ever.
   */
  private static final long LONGEST_MS = 20 * 60 * 1000;

  private final Coordinator coordinator;
  private final History history;
  private final Scenario scenario;
  private final int pools;
  private final MarketClock clock;
  private final Setting setting;
  private final @Nullable Emulation emulation;

  // The members that have trained, so that their processes are up to speed.
  private final Set<String> trained = new HashSet<>();
  private long trainedGeneration;
  private long freshUntilMs;

  // The market's time at which members that do not train yet would, by the plan; -1 if they train.
  private double formedAt = -1;
  private long formingGeneration;
  private long stoodMs = -1;

  MarketPace(Coordinator coordinator, Setting setting, MarketClock clock) {
    this.coordinator = coordinator;
    this.history = coordinator.history();
    this.setting = setting;
    this.scenario = setting.scenario();
    this.pools = setting.market().pools().size();
    this.clock = clock;
    this.emulation = setting.emulation();
    if (history.state() == RunState.TRAINING) {
      trained.addAll(history.members());
      trainedGeneration = history.generation();
    }
  }

  /** Looks again when the node would have booted by the plan. */
  void rented(Node node) {
    if (emulation != null) {
      clock.at(bootedAt(node), () -> {});
    }
  }

  /** Sets the pace that follows from what the nodes do now. */
  void check() {
    if (emulation == null) {
      return;
    }
    long nowMs = setting.clock().millis();
    double share = share(emulation, nowMs);
    stoodMs = share > 0 ? -1 : stoodMs < 0 ? nowMs : stoodMs;
    if (stoodMs >= 0 && nowMs - stoodMs > LONGEST_MS && !coordinator.isOver()) {
      share = 1;
    }
    if (share != clock.share()) {
      coordinator.journal().write(new Event.Paced(share));
      clock.pace(share);
    }
  }

  private double share(Emulation emulated, long nowMs) {
    if (coordinator.isOver()) {
      return 0;
    }
    List<Node> booted = coordinator.fleet().living().stream().filter(this::wouldTrain).toList();
    double planned = speed(booted);
    if (booted.size() < coordinator.spec().minWorkers() || planned <= 0) {
      formedAt = -1;
      return 1;
    }
    List<Node> members = coordinator.formation().members();
    boolean whole =
        history.state() == RunState.TRAINING
            && members.stream().allMatch(node -> coordinator.fleet().lives(node))
            && members.stream().allMatch(node -> node.taken == null);
    return whole ? training(members, planned, emulated, nowMs) : forming(members);
  }

  /** Returns the share of the planned speed that the members have. */
  private double training(List<Node> members, double planned, Emulation emulated, long nowMs) {
    formedAt = -1;
    if (trainedGeneration != history.generation()) {
      trainedGeneration = history.generation();
      if (isNew(members)) {
        freshUntilMs = nowMs + Math.round(1000 * emulated.freshSeconds());
        coordinator.loop().after(emulated.freshSeconds(), () -> {});
      }
      members.forEach(node -> trained.add(node.name()));
    }
    List<Node> workers =
        members.stream().filter(node -> node.rented.role() == Role.WORKER).toList();
    return nowMs < freshUntilMs ? 0 : Math.min(1, speed(workers) / planned);
  }

  private boolean isNew(List<Node> members) {
    return members.stream().noneMatch(node -> trained.contains(node.name()));
  }

  /** Lets the time pass that the plan needs to re-form, and no more. */
  private double forming(List<Node> members) {
    if (formedAt < 0 || formingGeneration != history.generation()) {
      boolean restores = isNew(members) && history.status().safeStep() > 0;
      double seconds =
          scenario.startup().reformSeconds()
              + (restores ? scenario.checkpointing().restoreSeconds() : 0);
      // A generation that follows before the last one trained does not begin the time anew.
      formedAt = formedAt < 0 ? clock.now() + seconds : formedAt;
      formingGeneration = history.generation();
      clock.at(formedAt, () -> {});
    }
    return clock.isPast(formedAt) ? 0 : 1;
  }

  /** Whether the node would train by now, were its process as fast as its machine. */
  private boolean wouldTrain(Node node) {
    boolean leaves =
        node.left
            || (history.state(node.name()) == NodeState.NOTICED
                && !coordinator.formation().isMember(node));
    return node.rented.role() == Role.WORKER
        && node.taken == null
        && !leaves
        && clock.isPast(bootedAt(node));
  }

  private double bootedAt(Node node) {
    Startup startup = scenario.startup();
    return node.rentedMs / 1000.0
        + (node.rented.market() == Market.SPOT
            ? startup.spotBootSeconds()
            : startup.onDemandBootSeconds());
  }

  private double speed(List<Node> workers) {
    int[] counts = new int[pools];
    workers.forEach(node -> counts[node.rented.pool()]++);
    return scenario.throughput().unitsPerSecond(counts);
  }
}

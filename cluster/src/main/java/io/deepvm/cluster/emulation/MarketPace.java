package io.deepvm.cluster.emulation;

import io.deepvm.catalog.Market;
import io.deepvm.cluster.Emulation;
import io.deepvm.cluster.core.NodeLife;
import io.deepvm.cluster.core.RunState;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.places.MarketTime;
import io.deepvm.places.Timers;
import io.deepvm.simulator.Scenario;
import io.deepvm.simulator.Startup;
import java.time.Clock;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.DoubleConsumer;

/**
 * Slows the market's time down while this machine is slower than the machines that it stands for.
 *
 * <p>A node that the market has booted counts as training, from the time that re-forming takes in
 * the plan. While its process is still starting, the market's time passes more slowly: at the share
 * of the planned speed that the other nodes have. It stands still if no node trains. So the work
 * that is done in an hour of the market is what the plan says, and a slow start here costs nothing
 * there.
 */
public final class MarketPace {

  /** The longest time for which the market stands still, so that no fault stops a run for good. */
  private static final long LONGEST_MS = 20 * 60 * 1000;

  /**
   * What the pace depends on besides the run.
   *
   * @param changed receives each other share
   */
  public record Surroundings(
      Scenario scenario, Timers timers, Clock clock, DoubleConsumer changed) {}

  private final Emulation emulation;
  private final MarketTime market;
  private final Scenario scenario;
  private final Timers timers;
  private final Clock clock;
  private final DoubleConsumer changed;
  private RunState state;

  // The members that have trained, so that their processes are up to speed.
  private final Set<String> trained = new HashSet<>();
  private final Set<String> awaited = new HashSet<>();
  private long trainedGeneration;
  private long freshUntilMs;

  // The market's time at which members that do not train yet would, by the plan; -1 if they train.
  private double formedAt = -1;
  private long formingGeneration;
  private long stoodMs = -1;
  private double share;

  /**
   * Watches a run that goes on from a state.
   *
   * @param share the share of its speed at which the market's time passes now
   */
  public MarketPace(
      Emulation emulation, MarketTime market, Surroundings around, RunState state, double share) {
    this.emulation = emulation;
    this.market = market;
    this.scenario = around.scenario();
    this.timers = around.timers();
    this.clock = around.clock();
    this.changed = around.changed();
    this.state = state;
    this.share = share;
    if (state.is(RunPhase.TRAINING)) {
      trained.addAll(state.membership().names());
      trainedGeneration = state.membership().number();
    }
  }

  /** Sets the pace that follows from what the nodes do now. */
  public void check(RunState now) {
    state = now;
    for (NodeLife life : state.living()) {
      if (awaited.add(life.name())) {
        // It must be looked at again when the node would have booted by the plan.
        market.at(bootedAt(life), this::again);
      }
    }
    again();
  }

  private void again() {
    long nowMs = clock.millis();
    double next = share(nowMs);
    stoodMs = next > 0 ? -1 : stoodMs < 0 ? nowMs : stoodMs;
    if (stoodMs >= 0 && nowMs - stoodMs > LONGEST_MS && !state.isOver()) {
      next = 1;
    } else if (next == 0 && !state.isOver()) {
      timers.after(1_000 * (LONGEST_MS + 1 - (nowMs - stoodMs)), this::again);
    }
    if (next != share) {
      share = next;
      market.pace(next);
      changed.accept(next);
    }
  }

  private double share(long nowMs) {
    if (state.isOver()) {
      return 0;
    }
    List<NodeLife> booted = state.living().stream().filter(this::wouldTrain).toList();
    double planned = speed(booted);
    if (booted.size() < state.facts().spec().minWorkers() || planned <= 0) {
      formedAt = -1;
      return 1;
    }
    List<NodeLife> members = state.members();
    boolean whole = state.is(RunPhase.TRAINING) && members.stream().allMatch(NodeLife::lives);
    return whole ? training(members, planned, nowMs) : forming(members);
  }

  /** Returns the share of the planned speed that the members have. */
  private double training(List<NodeLife> members, double planned, long nowMs) {
    formedAt = -1;
    if (trainedGeneration != state.membership().number()) {
      trainedGeneration = state.membership().number();
      if (isNew(members)) {
        freshUntilMs = nowMs + Math.round(1000 * emulation.freshSeconds());
        timers.after(Math.round(1e6 * emulation.freshSeconds()) + 1_000, this::again);
      }
      members.forEach(life -> trained.add(life.name()));
    }
    List<NodeLife> workers = members.stream().filter(NodeLife::isWorker).toList();
    return nowMs < freshUntilMs ? 0 : Math.min(1, speed(workers) / planned);
  }

  private boolean isNew(List<NodeLife> members) {
    return members.stream().noneMatch(life -> trained.contains(life.name()));
  }

  /** Lets the time pass that the plan needs to re-form, and no more. */
  private double forming(List<NodeLife> members) {
    if (formedAt < 0 || formingGeneration != state.membership().number()) {
      boolean restores = isNew(members) && state.steps().safeStep() > 0;
      double seconds =
          scenario.startup().reformSeconds()
              + (restores ? scenario.checkpointing().restoreSeconds() : 0);
      // A generation that follows before the last one trained does not begin the time anew.
      formedAt = formedAt < 0 ? market.now() + seconds : formedAt;
      formingGeneration = state.membership().number();
      market.at(formedAt, this::again);
    }
    return market.isPast(formedAt) ? 0 : 1;
  }

  /** Whether the node would train by now, were its process as fast as its machine. */
  private boolean wouldTrain(NodeLife life) {
    boolean leaves =
        life.hasDeparted()
            || (life.state() == NodeState.NOTICED && !state.membership().has(life.name()));
    return life.isWorker() && !leaves && market.isPast(bootedAt(life));
  }

  private double bootedAt(NodeLife life) {
    Startup startup = scenario.startup();
    return life.since().rentedMarketMs() / 1000.0
        + (life.rented().market() == Market.SPOT
            ? startup.spotBootSeconds()
            : startup.onDemandBootSeconds());
  }

  private double speed(List<NodeLife> workers) {
    int[] counts = new int[state.facts().pools().size()];
    workers.forEach(life -> counts[life.rented().pool()]++);
    return scenario.throughput().unitsPerSecond(counts);
  }
}

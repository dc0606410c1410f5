package io.deepvm.cluster.shell;

import io.deepvm.catalog.Market;
import io.deepvm.cluster.core.Input;
import io.deepvm.cluster.core.Machine;
import io.deepvm.cluster.core.NodeLife;
import io.deepvm.cluster.core.RunState;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.places.MarketView;
import io.deepvm.simulator.Cluster;
import io.deepvm.simulator.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The running cluster as a policy sees it, so that the simulator's policies decide here too. What
 * the policy does is collected as wishes, and counts at once in what the policy sees.
 */
final class PolicyView implements Cluster {

  private final RunState state;
  private final RunStatus status;
  private final MarketView market;
  private final Scenario scenario;
  private final long nowMs;
  private final List<Input.Wish> wishes = new ArrayList<>();

  PolicyView(RunState state, RunStatus status, MarketView market, Scenario scenario, long nowMs) {
    this.state = state;
    this.status = status;
    this.market = market;
    this.scenario = scenario;
    this.nowMs = nowMs;
  }

  /** Returns what the policy wants. */
  List<Input.Wish> wishes() {
    return wishes;
  }

  @Override
  public double now() {
    return market.marketMs() / 1000.0;
  }

  @Override
  public double deadline() {
    return scenario.deadlineSeconds();
  }

  @Override
  public double tickSeconds() {
    return market.tickSeconds();
  }

  @Override
  public double work() {
    return scenario.work();
  }

  @Override
  public double done() {
    return units(status.samples());
  }

  @Override
  public double safe() {
    return units(status.safeSamples());
  }

  private double units(long samples) {
    return Math.min(scenario.work(), samples / state.facts().spec().samplesPerUnit());
  }

  @Override
  public int workers() {
    return scenario.workers();
  }

  @Override
  public int pools() {
    return market.pools().size();
  }

  @Override
  public int spot(int pool) {
    return held(pool, Market.SPOT, life -> true) + wished(pool, Market.SPOT);
  }

  @Override
  public int onDemand(int pool) {
    return held(pool, Market.ON_DEMAND, life -> true) + wished(pool, Market.ON_DEMAND);
  }

  @Override
  public int booting(int pool, Market kind) {
    int starting =
        held(
            pool,
            kind,
            life -> life.state() == NodeState.REQUESTED || life.state() == NodeState.BOOTING);
    return Math.max(0, starting + wished(pool, kind));
  }

  @Override
  public int noticed(int pool) {
    return held(pool, Market.SPOT, life -> life.state() == NodeState.NOTICED);
  }

  /** Counts workers; nodes that keep parameters are not the policy's to move. */
  private int held(int pool, Market kind, Predicate<NodeLife> which) {
    return (int)
        state.living().stream()
            .filter(life -> life.rented().pool() == pool && life.rented().market() == kind)
            .filter(life -> life.isWorker() && which.test(life))
            .count();
  }

  /** Counts rentals less releases among the wishes. */
  private int wished(int pool, Market kind) {
    int count = 0;
    for (Input.Wish wish : wishes) {
      if (wish.pool() == pool && wish.market() == kind) {
        count += wish.added();
      }
    }
    return count;
  }

  @Override
  public boolean training() {
    return state.is(RunPhase.TRAINING);
  }

  @Override
  public double spotUsdPerHour(int pool) {
    return market.spotUsdPerHour(pool);
  }

  @Override
  public double onDemandUsdPerHour(int pool) {
    return market.onDemandUsdPerHour(pool);
  }

  @Override
  public double unitsPerSecond(int[] members) {
    return scenario.throughput().unitsPerSecond(members);
  }

  @Override
  public double moveUsd(int from, int to) {
    return scenario.egressUsdPerGb()[from][to] * scenario.checkpointing().size().bytes() / 1e9;
  }

  @Override
  public int home() {
    List<NodeLife> members = state.members();
    return members.isEmpty() ? -1 : members.get(0).rented().pool();
  }

  @Override
  public Scenario scenario() {
    return scenario;
  }

  @Override
  public int rent(int pool, Market kind, int count) {
    int wanted = kind == Market.ON_DEMAND ? count : Math.min(count, free(pool));
    int fits = state.facts().limit() - state.living().size() - wishedInAll();
    int rented = Math.max(0, Math.min(wanted, fits));
    double usd =
        kind == Market.SPOT ? market.spotUsdPerHour(pool) : market.onDemandUsdPerHour(pool);
    // One that does not fit is refused on the record.
    for (int i = 0; i < Math.min(wanted, rented + 1); i++) {
      wishes.add(new Input.Wish.Rent(pool, kind, Math.round(usd * 1e6)));
    }
    return rented;
  }

  private int wishedInAll() {
    int count = 0;
    for (int pool = 0; pool < pools(); pool++) {
      count += wished(pool, Market.SPOT) + wished(pool, Market.ON_DEMAND);
    }
    return count;
  }

  @Override
  public boolean rentAll(int pool, Market kind, int count) {
    if (kind == Market.SPOT && free(pool) < count) {
      return false;
    }
    return rent(pool, kind, count) == count;
  }

  @Override
  public void release(int pool, Market kind, int count) {
    int held = kind == Market.SPOT ? spot(pool) : onDemand(pool);
    for (int i = 0; i < Math.min(count, held); i++) {
      wishes.add(new Input.Wish.Release(pool, kind));
    }
  }

  @Override
  public boolean probe(int pool, int count) {
    return free(pool) >= count;
  }

  /** Counts nodes that are given back and still have their machine. */
  private int leaving(int pool) {
    return (int)
        state.nodes().stream()
            .filter(life -> life.rented().pool() == pool)
            .filter(life -> life.rented().market() == Market.SPOT)
            .filter(life -> life.machine() instanceof Machine.Leaving)
            .count();
  }

  /** A pool of which the cloud does not say what it has is worth a try. */
  private int free(int pool) {
    if (nowMs < state.withheldUntil(pool)) {
      return 0;
    }
    int capacity = market.spotCapacity(pool).orElse(Integer.MAX_VALUE);
    return capacity - spot(pool) - leaving(pool);
  }
}

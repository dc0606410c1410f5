package io.deepvm.cluster;

import io.deepvm.catalog.Market;
import io.deepvm.cluster.log.History;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunState;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.cluster.member.Role;
import io.deepvm.simulator.Cluster;
import io.deepvm.simulator.Scenario;
import java.util.List;
import java.util.function.Predicate;

/** The running cluster as policies see it, so that those of the simulator decide here too. */
final class LiveCluster implements Cluster {

  private final Fleet fleet;
  private final History history;
  private final double samplesPerUnit;
  private final Setting setting;
  private final Scenario scenario;
  private final MarketPlayer player;

  LiveCluster(Coordinator coordinator, Setting setting, MarketPlayer player) {
    this.fleet = coordinator.fleet();
    this.history = coordinator.history();
    this.samplesPerUnit = coordinator.spec().samplesPerUnit();
    this.setting = setting;
    this.scenario = setting.scenario();
    this.player = player;
  }

  @Override
  public double now() {
    return player.now();
  }

  @Override
  public double deadline() {
    return scenario.deadlineSeconds();
  }

  @Override
  public double tickSeconds() {
    return setting.market().tickSeconds();
  }

  @Override
  public double work() {
    return scenario.work();
  }

  @Override
  public double done() {
    return units(status().samples());
  }

  @Override
  public double safe() {
    return units(status().safeSamples());
  }

  private double units(long samples) {
    return Math.min(scenario.work(), samples / samplesPerUnit);
  }

  private RunStatus status() {
    return history.status();
  }

  @Override
  public int workers() {
    return scenario.workers();
  }

  @Override
  public int pools() {
    return setting.market().pools().size();
  }

  @Override
  public int spot(int pool) {
    return held(pool, Market.SPOT).size();
  }

  @Override
  public int onDemand(int pool) {
    return held(pool, Market.ON_DEMAND).size();
  }

  /** Returns the workers held; those that keep parameters are not the policy's to move. */
  private List<Node> held(int pool, Market market) {
    return fleet.living().stream()
        .filter(node -> node.rented.pool() == pool && node.rented.market() == market)
        .filter(node -> node.rented.role() == Role.WORKER && node.taken == null)
        .toList();
  }

  @Override
  public int booting(int pool, Market market) {
    return count(
        held(pool, market), state -> state == NodeState.REQUESTED || state == NodeState.BOOTING);
  }

  @Override
  public int noticed(int pool) {
    return count(held(pool, Market.SPOT), state -> state == NodeState.NOTICED);
  }

  private int count(List<Node> nodes, Predicate<NodeState> which) {
    int count = 0;
    for (Node node : nodes) {
      NodeState state = history.state(node.name());
      count += state != null && which.test(state) ? 1 : 0;
    }
    return count;
  }

  @Override
  public boolean training() {
    return history.state() == RunState.TRAINING;
  }

  @Override
  public double spotUsdPerHour(int pool) {
    return player.spotUsdPerHour(pool);
  }

  @Override
  public double onDemandUsdPerHour(int pool) {
    return setting.market().onDemandUsdPerHour(pool);
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
    List<String> members = history.members();
    Node first = members.isEmpty() ? null : fleet.find(members.get(0));
    return first == null ? -1 : first.rented.pool();
  }

  @Override
  public Scenario scenario() {
    return scenario;
  }

  @Override
  public int rent(int pool, Market market, int count) {
    int granted = market == Market.ON_DEMAND ? count : Math.min(count, free(pool));
    int rented = 0;
    while (rented < granted && fleet.rent(pool, market, Role.WORKER)) {
      rented++;
    }
    return rented;
  }

  @Override
  public boolean rentAll(int pool, Market market, int count) {
    if (market == Market.SPOT && free(pool) < count) {
      return false;
    }
    return rent(pool, market, count) == count;
  }

  @Override
  public void release(int pool, Market market, int count) {
    List<Node> held = held(pool, market);
    for (int i = held.size() - 1; i >= Math.max(0, held.size() - count); i--) {
      fleet.release(held.get(i));
    }
  }

  @Override
  public boolean probe(int pool, int count) {
    return free(pool) >= count;
  }

  private int free(int pool) {
    return player.spotAvailable(pool) - spot(pool);
  }
}

package io.deepvm.simulator;

import io.deepvm.catalog.Market;

/** The cluster of one simulated run, as its policy sees it and changes it. */
final class SimulatedCluster implements Cluster {

  private final Scenario scenario;
  private final Pools pools;
  private final Generations generations;
  private final WorkDone workDone;
  private final RunTime time;

  SimulatedCluster(
      Scenario scenario, Pools pools, Generations generations, WorkDone workDone, RunTime time) {
    this.scenario = scenario;
    this.pools = pools;
    this.generations = generations;
    this.workDone = workDone;
    this.time = time;
  }

  @Override
  public double now() {
    return time.now();
  }

  @Override
  public double deadline() {
    return scenario.deadlineSeconds();
  }

  @Override
  public double tickSeconds() {
    return time.tickMs() / 1000.0;
  }

  @Override
  public double work() {
    return scenario.work();
  }

  @Override
  public double done() {
    return workDone.done();
  }

  @Override
  public double safe() {
    return workDone.safe();
  }

  @Override
  public int workers() {
    return scenario.workers();
  }

  @Override
  public int pools() {
    return pools.count();
  }

  @Override
  public int spot(int pool) {
    return pools.held(pool, Market.SPOT);
  }

  @Override
  public int onDemand(int pool) {
    return pools.held(pool, Market.ON_DEMAND);
  }

  @Override
  public int booting(int pool, Market market) {
    return pools.booting(pool, market);
  }

  @Override
  public int noticed(int pool) {
    return pools.noticed(pool);
  }

  @Override
  public boolean training() {
    return generations.isUp();
  }

  @Override
  public double spotUsdPerHour(int pool) {
    return pools.usdPerHour(pool, Market.SPOT);
  }

  @Override
  public double onDemandUsdPerHour(int pool) {
    return pools.usdPerHour(pool, Market.ON_DEMAND);
  }

  @Override
  public double unitsPerSecond(int[] members) {
    return scenario.throughput().unitsPerSecond(members);
  }

  @Override
  public double moveUsd(int from, int to) {
    return scenario.moveUsd(from, to);
  }

  @Override
  public int home() {
    return generations.home();
  }

  @Override
  public Scenario scenario() {
    return scenario;
  }

  @Override
  public int rent(int pool, Market market, int count) {
    return pools.rent(pool, market, count);
  }

  @Override
  public boolean rentAll(int pool, Market market, int count) {
    if (market == Market.SPOT && pools.free(pool) < count) {
      return false;
    }
    pools.rent(pool, market, count);
    return true;
  }

  @Override
  public void release(int pool, Market market, int count) {
    pools.release(pool, market, count);
  }

  @Override
  public boolean probe(int pool, int count) {
    boolean up = pools.free(pool) >= count;
    if (up) {
      pools.payProbe(pool, count);
    }
    return up;
  }

  @Override
  public String toString() {
    return "%s at %s s".formatted(generations, now());
  }
}

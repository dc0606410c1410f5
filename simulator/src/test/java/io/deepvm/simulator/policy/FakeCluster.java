package io.deepvm.simulator.policy;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Market;
import io.deepvm.checkpoint.SaveRule;
import io.deepvm.simulator.Billing;
import io.deepvm.simulator.Checkpointing;
import io.deepvm.simulator.Cluster;
import io.deepvm.simulator.Recovery;
import io.deepvm.simulator.Scenario;
import io.deepvm.simulator.Startup;
import io.deepvm.simulator.Throughput;

/** A cluster of four workers and two pools whose every fact a test sets. */
final class FakeCluster implements Cluster {

  static final Checkpointing EVERY_STEP = saving(0, 0, 0, new SaveRule.EveryStep());

  final Scenario scenario;
  final int[] spot = new int[2];
  final int[] onDemand = new int[2];
  final double[] spotPrice = {3, 4};
  final double[] onDemandPrice = {10, 10};
  double now;
  double done;
  double safe;
  boolean training = true;

  FakeCluster(double deadline, Recovery recovery, Checkpointing checkpointing) {
    scenario =
        new Scenario(
            new Throughput.ByCount(new double[] {1, 2, 3, 4}),
            36_000,
            4,
            deadline,
            -1,
            0,
            Money.ZERO,
            recovery,
            checkpointing,
            new Startup(0, 0, 0),
            Billing.EXACT,
            new double[2][2]);
  }

  static Checkpointing saving(double stall, double ship, double restore, SaveRule rule) {
    return new Checkpointing(DataSize.ofGb(1), true, stall, ship, restore, false, false, rule);
  }

  /** Returns the counts of this cluster, as a policy takes them. */
  Fleet fleet() {
    Fleet fleet = new Fleet();
    fleet.count(this);
    return fleet;
  }

  @Override
  public double now() {
    return now;
  }

  @Override
  public double deadline() {
    return scenario.deadlineSeconds();
  }

  @Override
  public double tickSeconds() {
    return 600;
  }

  @Override
  public double work() {
    return scenario.work();
  }

  @Override
  public double done() {
    return done;
  }

  @Override
  public double safe() {
    return safe;
  }

  @Override
  public int workers() {
    return scenario.workers();
  }

  @Override
  public int pools() {
    return spot.length;
  }

  @Override
  public int spot(int pool) {
    return spot[pool];
  }

  @Override
  public int onDemand(int pool) {
    return onDemand[pool];
  }

  @Override
  public int booting(int pool, Market market) {
    return 0;
  }

  @Override
  public int noticed(int pool) {
    return 0;
  }

  @Override
  public boolean training() {
    return training;
  }

  @Override
  public double spotUsdPerHour(int pool) {
    return spotPrice[pool];
  }

  @Override
  public double onDemandUsdPerHour(int pool) {
    return onDemandPrice[pool];
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
    return -1;
  }

  @Override
  public Scenario scenario() {
    return scenario;
  }

  @Override
  public int rent(int pool, Market market, int count) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean rentAll(int pool, Market market, int count) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void release(int pool, Market market, int count) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean probe(int pool, int count) {
    throw new UnsupportedOperationException();
  }
}

package io.deepvm.simulator;

import io.deepvm.market.SpotMarket;
import org.jspecify.annotations.Nullable;

/**
 * One run: a scenario and a policy, simulated through a market from one of its ticks on.
 *
 * <p>Time jumps from event to event; whole milliseconds and integer money make a run the same on
 * every machine. Capacity changes at ticks, and nodes are warned and taken by {@link
 * io.deepvm.market.SpotRules}. A node may also crash, at any time and without notice; an anchor
 * that trains does not, because its disk outlives it.
 */
public final class Simulation {

  private final Scenario scenario;
  private final SpotMarket market;
  private final Policy policy;
  private final @Nullable Recorder recorder;
  private final Ledger ledger = new Ledger();
  private final RunTime time;
  private final Pools pools;
  private final MarketTicks ticks;
  private final WorkDone workDone;
  private final Generations generations;
  private final Cluster cluster;

  private Simulation(
      Scenario scenario,
      SpotMarket market,
      int firstTick,
      Policy policy,
      long seed,
      @Nullable Recorder recorder) {
    this.scenario = scenario;
    this.market = market;
    this.policy = policy;
    this.recorder = recorder;
    this.time = new RunTime(firstTick, Math.round(market.tickSeconds() * 1000));
    this.pools = new Pools(scenario, market, time, ledger, seed, recorder);
    this.ticks = new MarketTicks(market, firstTick, seed, pools, time);
    this.workDone = new WorkDone(scenario, time, ledger, recorder);
    this.generations = new Generations(scenario, pools, workDone, time, ledger);
    this.cluster = new SimulatedCluster(scenario, pools, generations, workDone, time);
  }

  /** Runs from one of the market's ticks until the work is done or the record ends. */
  public static Outcome run(
      Scenario scenario,
      SpotMarket market,
      int firstTick,
      Policy policy,
      long seed,
      @Nullable Recorder recorder) {
    return new Simulation(scenario, market, firstTick, policy, seed, recorder).run();
  }

  private Outcome run() {
    if (scenario.anchorPool() >= 0) {
      pools.rentAnchor(scenario.anchorPool());
    }
    enterTick();
    while (true) {
      generations.settle();
      if (workDone.isDone()) {
        return outcome(true);
      }
      if (time.marketTick() >= market.ticks()) {
        return outcome(false);
      }
      advance(nextEventMs());
      workDone.endShipping();
      boolean formed = generations.endPhase();
      if (!workDone.isDone()) {
        boolean crashed = pools.crash();
        if (time.nowMs() == time.nextTickMs()) {
          time.nextTick();
          if (time.marketTick() < market.ticks()) {
            enterTick();
          }
        } else {
          change(formed, crashed);
        }
      }
    }
  }

  /** Begins a tick: new prices, nodes taken, the policy asked. */
  private void enterTick() {
    ticks.enter();
    pools.boot();
    generations.regroup();
    recordSpending();
    policy.decide(cluster, true);
    ticks.foresee();
  }

  /** Handles the changes between two ticks. */
  private void change(boolean formed, boolean crashed) {
    if (ticks.giveNotices()) {
      generations.saveJustInTime();
      policy.decide(cluster, false);
    }
    boolean joined = pools.boot();
    if (joined || crashed) {
      generations.regroup();
      policy.decide(cluster, false);
    } else if (formed) {
      policy.decide(cluster, false);
    }
  }

  /** Returns the moment at which something happens next. */
  private long nextEventMs() {
    long next = Math.min(time.nextTickMs(), workDone.shipEndMs());
    return Math.min(pools.nextEventMs(ticks.nextNoticeMs(next)), generations.nextEventMs());
  }

  /** Pays, and trains if the members train, until a moment. */
  private void advance(long untilMs) {
    long ms = untilMs - time.nowMs();
    if (ms == 0) {
      return;
    }
    pools.pay(generations.doing(), ms);
    if (scenario.anchors() > 0) {
      // The anchors' price is that of all of them; their time is counted one by one.
      ledger.nodes(Charge.ANCHOR, Activity.ANCHORING, 1, scenario.anchorsPerHour().micros(), ms);
      ledger.nodes(Charge.ANCHOR, Activity.ANCHORING, scenario.anchors() - 1, 0, ms);
    }
    generations.train(ms);
    time.moveTo(untilMs);
  }

  private Outcome outcome(boolean finished) {
    pools.releaseAll();
    Checkpointing checkpointing = scenario.checkpointing();
    if (checkpointing.storage() && workDone.checkpoints() > 0) {
      double gbMonths = checkpointing.size().bytes() / 1e9 * time.nowMs() / (30 * 24 * 3.6e6);
      ledger.lump(Charge.STORAGE, gbMonths * scenario.billing().storageUsdPerGbMonth());
    }
    workDone.record();
    recordSpending();
    return new Outcome(
        finished,
        time.now(),
        finished && time.now() <= scenario.deadlineSeconds(),
        ledger.total(),
        ledger.bill(),
        ledger.use(),
        ledger.nodeSeconds(),
        pools.revocations(),
        generations.generations(),
        workDone.checkpoints());
  }

  private void recordSpending() {
    if (recorder != null) {
      recorder.spent(ledger.total().dollars(), time.now());
    }
  }
}

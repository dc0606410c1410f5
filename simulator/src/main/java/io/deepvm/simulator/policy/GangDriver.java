package io.deepvm.simulator.policy;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Market;
import io.deepvm.checkpoint.SaveRule;
import io.deepvm.market.Pool;
import io.deepvm.simulator.Checkpointing;
import io.deepvm.simulator.Cluster;
import io.deepvm.simulator.Policy;
import io.deepvm.simulator.Scenario;
import io.deepvm.simulator.gang.DeadlineGuard;
import io.deepvm.simulator.gang.Gang;
import io.deepvm.simulator.gang.GangJob;
import io.deepvm.simulator.gang.GangPolicy;
import java.util.Arrays;
import java.util.List;

/**
 * Lets a policy made for one gang that is whole or not at all drive a cluster of nodes: a pool that
 * cannot give all workers at once is down, and a gang that lost a node is gone.
 */
final class GangDriver implements Policy, Gang {

  /** Multiple of the undisturbed time that stands for a deadline, which gang policies need. */
  private static final double LONG_ENOUGH = 3;

  private GangPolicy policy;
  private final int[] regions;
  private final double[] probeDollars;
  private double[] doneAt = new double[64];
  private Mode mode = Mode.NONE;
  private int zone = NOWHERE;
  private int leader = NOWHERE;
  private double launched;
  private boolean started;
  private double fullSpeed;
  private Cluster cluster;
  private GangJob job;

  /** Drives with a fresh policy, over pools in the market's order. */
  @SuppressWarnings("NullAway.Init")
  GangDriver(GangPolicy policy, List<Pool> pools) {
    this.policy = policy;
    regions =
        pools.stream()
            .map(p -> p.place().cloud() + "/" + p.place().region())
            .mapToInt(
                pools.stream().map(p -> p.place().cloud() + "/" + p.place().region()).toList()
                    ::indexOf)
            .toArray();
    probeDollars = new double[regions.length];
  }

  @Override
  public void decide(Cluster now, boolean tick) {
    if (!tick) {
      return;
    }
    cluster = now;
    if (!started) {
      int[] all = new int[regions.length];
      all[0] = now.workers();
      fullSpeed = now.unitsPerSecond(all);
      job = job(now.scenario(), now.work() / fullSpeed);
      start();
      started = true;
    }
    int at = tick();
    if (at >= doneAt.length) {
      doneAt = Arrays.copyOf(doneAt, Math.max(at + 1, 2 * doneAt.length));
    }
    doneAt[at] = done();
    if (mode == Mode.SPOT && now.spot(zone) < now.workers()) {
      terminate();
    } else if (mode == Mode.ON_DEMAND) {
      now.rent(zone, Market.ON_DEMAND, now.workers() - now.onDemand(zone));
    }
    policy.step(this);
    if (zone != NOWHERE) {
      leader = zone;
    }
  }

  /** Where a policy finds the deadline too near for anything else, everything is on demand. */
  private void start() {
    try {
      policy.start(this);
    } catch (BadInput tooNear) {
      policy =
          gang -> {
            if (gang.mode() != Mode.ON_DEMAND) {
              gang.launchOnDemand(DeadlineGuard.cheapestOnDemand(gang));
            }
          };
    }
  }

  /** Returns the deadline that gang policies keep: the given one, or a multiple of the work. */
  static double deadlineSeconds(Scenario gang) {
    double given = gang.deadlineSeconds();
    double fullSpeed = gang.throughput().unitsPerSecond(new int[] {gang.workers()});
    return Double.isInfinite(given) ? LONG_ENOUGH * gang.work() / fullSpeed : given;
  }

  /** A restart costs the start, the way back to the last checkpoint and the work since it. */
  private static GangJob job(Scenario scenario, double workSeconds) {
    Checkpointing checkpoint = scenario.checkpointing();
    double redo =
        checkpoint.rule() instanceof SaveRule.Fixed fixed
            ? fixed.seconds() + checkpoint.stallSeconds() + checkpoint.shipSeconds()
            : 0;
    double boot =
        Math.max(scenario.startup().spotBootSeconds(), scenario.startup().onDemandBootSeconds());
    return new GangJob(
        workSeconds,
        deadlineSeconds(scenario),
        boot
            + scenario.startup().reformSeconds()
            + scenario.startup().freshSeconds()
            + checkpoint.restoreSeconds()
            + redo,
        checkpoint.size().gb());
  }

  @Override
  public int zones() {
    return regions.length;
  }

  @Override
  public int region(int of) {
    return regions[of];
  }

  @Override
  public int tick() {
    return (int) Math.round(cluster.now() / cluster.tickSeconds());
  }

  @Override
  public double tickSeconds() {
    return cluster.tickSeconds();
  }

  @Override
  public double now() {
    return cluster.now();
  }

  @Override
  public GangJob job() {
    return job;
  }

  @Override
  public double done() {
    return cluster.done() / fullSpeed;
  }

  @Override
  public double doneAt(int at) {
    return doneAt[at];
  }

  @Override
  public double left() {
    return (cluster.work() - cluster.done()) / fullSpeed;
  }

  @Override
  public double overheadLeft() {
    return cluster.training() ? 0 : Math.max(0, launched + job.restartSeconds() - now());
  }

  @Override
  public Mode mode() {
    return mode;
  }

  @Override
  public int zone() {
    return zone;
  }

  @Override
  public int leader() {
    return leader;
  }

  @Override
  public boolean launchSpot(int where) {
    if (mode == Mode.SPOT && zone == where) {
      return true;
    }
    if (!cluster.rentAll(where, Market.SPOT, cluster.workers())) {
      return false;
    }
    replace(Mode.SPOT, where);
    return true;
  }

  @Override
  public void launchOnDemand(int where) {
    if (mode != Mode.ON_DEMAND || zone != where) {
      cluster.rent(where, Market.ON_DEMAND, cluster.workers());
      replace(Mode.ON_DEMAND, where);
    }
  }

  private void replace(Mode next, int where) {
    terminate();
    mode = next;
    zone = where;
    launched = now();
  }

  @Override
  public void terminate() {
    if (mode == Mode.SPOT) {
      cluster.release(zone, Market.SPOT, cluster.spot(zone));
    } else if (mode == Mode.ON_DEMAND) {
      cluster.release(zone, Market.ON_DEMAND, cluster.onDemand(zone));
    }
    mode = Mode.NONE;
    zone = NOWHERE;
  }

  @Override
  public boolean probe(int where) {
    boolean up = cluster.probe(where, cluster.workers());
    if (up) {
      probeDollars[where] +=
          spotPrice(where) * cluster.scenario().billing().minimumSeconds() / 3600;
    }
    return up;
  }

  @Override
  public double probeDollars(int where) {
    return probeDollars[where];
  }

  @Override
  public double spotPrice(int where) {
    return cluster.workers() * cluster.spotUsdPerHour(where);
  }

  @Override
  public double onDemandPrice(int where) {
    return cluster.workers() * cluster.onDemandUsdPerHour(where);
  }

  @Override
  public double egress(int from, int to) {
    return cluster.moveUsd(from, to);
  }
}

package io.deepvm.simulator.policy;

import io.deepvm.catalog.Market;
import io.deepvm.simulator.Checkpointing;
import io.deepvm.simulator.Cluster;
import io.deepvm.simulator.Recovery;
import io.deepvm.simulator.Scenario;
import java.util.Arrays;

/**
 * Knows whether the deadline can still be met on demand when all spot nodes go at the next tick.
 *
 * <p>As long as that holds at every tick, and nodes are rented on demand as soon as it does not,
 * the deadline is met whatever the market does, up to what is assumed of re-forming below.
 */
final class SafetyNet {

  /** Members come and go no more often between two ticks. */
  private static final int JOINS_PER_TICK = 6;

  private final Scenario scenario;
  private final boolean keepsEveryStep;

  /** Whether one loss undoes the work since the last checkpoint, as no other member holds it. */
  private final boolean losesAll;

  private final double coldSeconds;
  private final int[] members;

  /** On-demand nodes that have the state in memory. */
  private int holders;

  private int spotHeld;
  private int onDemandHeld;
  private int setbacks;
  private double mostDone;
  private int home = Integer.MIN_VALUE;
  private int place;
  private double fullSpeed;

  SafetyNet(Scenario scenario, int pools) {
    this.scenario = scenario;
    Checkpointing checkpointing = scenario.checkpointing();
    this.keepsEveryStep = checkpointing.keepsEveryStep();
    this.losesAll = scenario.workers() == 1 || scenario.recovery() == Recovery.RESTART;
    // Spot nodes may go while those on demand form a generation, and are given back afterwards:
    // both let them begin anew.
    this.coldSeconds =
        scenario.coldStartSeconds()
            + JOINS_PER_TICK * scenario.startup().reformSeconds()
            + (checkpointing.kept() ? checkpointing.restoreSeconds() : 0);
    this.members = new int[pools];
  }

  /** Looks at the cluster; to be called before the questions below. */
  void observe(Cluster cluster, Fleet fleet) {
    mostDone = Math.max(mostDone, cluster.done());
    // After a setback just the safe work is left.
    if (fleet.spot + fleet.noticed < spotHeld && cluster.done() == cluster.safe()) {
      setbacks++;
    }
    spotHeld = fleet.spot + fleet.noticed;
    onDemandHeld = fleet.onDemand;
    int ready = fleet.readyOnDemand;
    holders = cluster.training() ? ready : Math.min(holders, ready);
    if (home != cluster.home()) {
      home = cluster.home();
      choosePlace(cluster);
    }
  }

  /** Remembers what is held until it is looked at again. */
  void remember(Fleet fleet) {
    spotHeld = fleet.spot + fleet.noticed;
  }

  /** The pool in which nodes are rented on demand. */
  int place() {
    return place;
  }

  /** Units per second of all workers on demand. */
  double fullSpeed() {
    return fullSpeed;
  }

  /** Whether nothing is lost when nodes are given back at any time. */
  boolean keepsEveryStep() {
    return keepsEveryStep;
  }

  /**
   * Hours of work that a loss is likely to undo.
   *
   * @param ahead for how long there will likely be no loss
   */
  double undoneHours(Cluster cluster, double ahead) {
    if (keepsEveryStep || !losesAll) {
      return 0;
    }
    double every = checkpointSeconds();
    return every < Double.POSITIVE_INFINITY
        ? (every / 2 + scenario.checkpointing().restoreSeconds()) / 3600
        : Math.max(cluster.done() / fullSpeed / 3600, ahead / 2);
  }

  /** Slack below which nothing may be risked any more. */
  double reserveSeconds(Cluster cluster) {
    double every = losesAll ? checkpointSeconds() : Double.POSITIVE_INFINITY;
    return coldSeconds + (every == Double.POSITIVE_INFINITY ? 0 : every + cluster.tickSeconds());
  }

  /** Returns the speed of this many nodes on demand. */
  double speed(Cluster cluster, int count) {
    return speed(cluster, count, place);
  }

  /**
   * Whether the deadline is met after the loss of all spot nodes at the next tick.
   *
   * @param onDemand how many nodes are held on demand from now on
   * @param ready how many of them are up now
   */
  boolean holds(Cluster cluster, int onDemand, int ready) {
    return holds(cluster, onDemand, ready, 0);
  }

  /** Whether it will hold, with as many nodes as now, when one rented now is up. */
  boolean willHold(Cluster cluster, int onDemand, int ready) {
    return holds(cluster, onDemand, ready, coldSeconds + cluster.tickSeconds());
  }

  private boolean holds(Cluster cluster, int onDemand, int ready, double later) {
    double seconds = cluster.deadline() - cluster.now() - later;
    if (seconds == Double.POSITIVE_INFINITY || onDemand >= scenario.workers()) {
      return true;
    }
    double tick = cluster.tickSeconds();
    double every = checkpointSeconds();
    double stall = scenario.checkpointing().stallSeconds();
    double efficiency = every == Double.POSITIVE_INFINITY ? 1 : every / (every + stall);
    // Where a loss lets everybody start again, nodes on demand are safe only among themselves, and
    // will not be when one is given up for a spot node.
    boolean apart =
        scenario.recovery() == Recovery.SURVIVORS || (spotHeld == 0 && onDemand >= onDemandHeld);
    boolean survives = Math.min(holders, ready) > 0 && apart;
    double left = cluster.work() - (survives ? cluster.done() : cluster.safe());
    if (survives || keepsEveryStep) {
      double pauses =
          JOINS_PER_TICK * scenario.startup().reformSeconds() + (efficiency < 1 ? stall : 0);
      if (!cluster.training()) {
        pauses +=
            scenario.startup().reformSeconds()
                + scenario.startup().freshSeconds()
                + scenario.checkpointing().restoreSeconds();
      }
      left -= memberSpeed(cluster) * efficiency * Math.max(0, tick - pauses);
    }
    double untilCold =
        apart
            ? speed(cluster, ready) * Math.max(0, coldSeconds - tick)
                + speed(cluster, onDemand) * Math.min(coldSeconds, tick)
            : 0;
    return left <= efficiency * (untilCold + fullSpeed * (seconds - tick - coldSeconds));
  }

  /** Seconds of training between two checkpoints, or fewer; infinite without any. */
  private double checkpointSeconds() {
    // One more loss, and the least time that the work done so far can have taken.
    return scenario.checkpointing().intervalSeconds(setbacks + 1, mostDone / fullSpeed);
  }

  private double memberSpeed(Cluster cluster) {
    int all = 0;
    for (int p = 0; p < members.length; p++) {
      members[p] =
          cluster.spot(p)
              - cluster.booting(p, Market.SPOT)
              + cluster.onDemand(p)
              - cluster.booting(p, Market.ON_DEMAND);
      all += members[p];
    }
    return all == 0 ? 0 : cluster.unitsPerSecond(members);
  }

  private void choosePlace(Cluster cluster) {
    double least = Double.POSITIVE_INFINITY;
    for (int p = 0; p < members.length; p++) {
      double speed = speed(cluster, scenario.workers(), p);
      double hours = (cluster.work() - cluster.done()) / speed / 3600;
      double usd =
          cluster.onDemandUsdPerHour(p) * scenario.workers() * hours
              + (home < 0 ? 0 : cluster.moveUsd(home, p));
      if (usd < least) {
        least = usd;
        place = p;
        fullSpeed = speed;
      }
    }
  }

  private double speed(Cluster cluster, int count, int pool) {
    if (count <= 0) {
      return 0;
    }
    Arrays.fill(members, 0);
    members[pool] = count;
    int anchor = scenario.anchorPool();
    if (anchor >= 0 && anchor != pool) {
      members[pool]--;
      members[anchor] = 1;
    }
    return cluster.unitsPerSecond(members);
  }
}

package io.deepvm.simulator.policy;

import io.deepvm.catalog.Market;
import io.deepvm.simulator.Cluster;
import io.deepvm.simulator.Policy;
import org.jspecify.annotations.Nullable;

/**
 * Spot nodes where they are cheapest all in all, in as many pools as it takes, and on demand only
 * as much as the deadline demands.
 *
 * <p>A pool's price is what its nodes cost with their restarts, the move there, and the risk that
 * losses use up the slack. A place in the cluster is left empty while a cheaper pool is likely to
 * come back and the wait costs less than it saves. Nodes move to a cheaper pool once the new ones
 * are up. Whenever the deadline could be missed if all spot nodes went at the next tick, nodes are
 * rented on demand. No deadline that could be met on demand from the start was missed on recorded
 * or random markets; that is tested, not proved.
 */
public final class Elastic implements Policy {

  /**
   * A move must save this many times what it costs: its savings are guessed, its costs are sure.
   */
  private static final double MOVE_MARGIN = 2;

  private final Fleet fleet = new Fleet();
  private @Nullable Offers offers;

  @Override
  public void decide(Cluster cluster, boolean tick) {
    Offers seen = offers;
    if (seen == null) {
      seen = new Offers(cluster);
      offers = seen;
    }
    fleet.count(cluster);
    seen.look(cluster, fleet);
    // In between nothing gets worse, and each node that joins lets all others wait.
    if (tick || fleet.noticed > 0) {
      secure(cluster, seen.net());
      fill(cluster, seen, tick);
      fleet.count(cluster);
      if (fleet.readySpot == fleet.spot && fleet.all() <= cluster.workers()) {
        move(cluster, seen);
        fleet.count(cluster);
      }
    }
    shed(cluster, seen);
    fleet.count(cluster);
    seen.remember(cluster, fleet);
  }

  /** Fills empty places, and those on demand that the deadline does not need, cheapest first. */
  private void fill(Cluster cluster, Offers offers, boolean tick) {
    SafetyNet net = offers.net();
    int needed = fleet.onDemand;
    int anchored = cluster.scenario().anchorPool() >= 0 ? 1 : 0;
    while (needed > anchored
        && net.holds(cluster, needed - 1, Math.min(fleet.readyOnDemand, needed - 1))) {
      needed--;
    }
    int taken = fleet.all();
    // Beyond the workers there are those that are to take over from others already.
    int replaceable = fleet.onDemand - needed - Math.max(0, taken - cluster.workers());
    if (fleet.readySpot + fleet.onDemand == 0 && !offers.slackForStart()) {
      // Too late to begin on spot: begin on demand, and keep the slack for a change to spot.
      cluster.rent(net.place(), Market.ON_DEMAND, cluster.workers() - taken);
      return;
    }
    for (int i = 0; i < cluster.pools() && offers.belowOnDemand(i); i++) {
      int more = offers.worthFilling(i, taken);
      int want = more + Math.max(0, replaceable);
      // A pool that is about to take nodes would take new ones too.
      if (want > 0 && cluster.noticed(offers.pool(i)) == 0) {
        int got = cluster.rent(offers.pool(i), Market.SPOT, want);
        if (tick) {
          offers.asked(i, want, got);
        }
        int filled = Math.min(got, more);
        taken += filled;
        replaceable -= got - filled;
      }
    }
    int rest = offers.worthFilling(cluster.pools(), taken);
    if (rest > 0) {
      cluster.rent(net.place(), Market.ON_DEMAND, rest);
    }
  }

  /** Rents in a cheaper pool what is to be given back in a dearer one once the new ones are up. */
  private void move(Cluster cluster, Offers offers) {
    for (int to = 0; to < cluster.pools(); to++) {
      for (int from = cluster.pools() - 1; from > to; from--) {
        int pool = offers.pool(from);
        int movable = cluster.spot(pool) - cluster.noticed(pool);
        if (movable > 0 && offers.saving(cluster, from, to, movable, MOVE_MARGIN) > 0) {
          int got = cluster.rent(offers.pool(to), Market.SPOT, movable);
          offers.asked(to, movable, got);
          if (got > 0) {
            return;
          }
        }
      }
    }
  }

  /** Rents on demand what the deadline needs. */
  private void secure(Cluster cluster, SafetyNet net) {
    int workers = cluster.workers();
    int more = 0;
    while (fleet.onDemand + more < workers
        && !net.holds(cluster, fleet.onDemand + more, fleet.readyOnDemand)) {
      more++;
    }
    if (more == 0 && fleet.onDemand == 0 && needsKeeper(cluster, net)) {
      more = 1;
    }
    if (more > 0) {
      cluster.rent(net.place(), Market.ON_DEMAND, more);
      fleet.count(cluster);
    }
    boolean lastSlack =
        fleet.onDemand >= workers
            && !net.holds(cluster, workers - 1, Math.min(fleet.readyOnDemand, workers - 1));
    if (fleet.spot > fleet.readySpot && (lastSlack || fleet.all() > 2 * workers)) {
      cancel(cluster);
    }
  }

  /** Gives back spot nodes before they are up: they would only disturb those on demand. */
  private void cancel(Cluster cluster) {
    for (int p = 0; p < cluster.pools(); p++) {
      cluster.release(p, Market.SPOT, cluster.booting(p, Market.SPOT));
    }
    fleet.count(cluster);
  }

  /** Gives back what is too much, once the state is in the memory of those that stay. */
  private void shed(Cluster cluster, Offers offers) {
    SafetyNet net = offers.net();
    if (!cluster.training() && !net.keepsEveryStep()) {
      return;
    }
    int workers = cluster.workers();
    boolean released = true;
    while (released
        && fleet.readySpot + fleet.onDemand > workers
        && net.holds(cluster, fleet.onDemand - 1, Math.min(fleet.readyOnDemand, fleet.onDemand - 1))
        && (fleet.onDemand > 1 || !needsKeeper(cluster, net))) {
      released = releaseOnDemand(cluster);
      fleet.count(cluster);
    }
    int extra = fleet.readySpot + fleet.readyOnDemand - workers;
    for (int i = cluster.pools() - 1; i >= 0 && extra > 0; i--) {
      int pool = offers.pool(i);
      // The youngest go first: where some still boot, the wrong ones would.
      if (cluster.booting(pool, Market.SPOT) == 0) {
        int drop = Math.min(extra, cluster.spot(pool) - cluster.noticed(pool));
        cluster.release(pool, Market.SPOT, drop);
        extra -= drop;
      }
    }
  }

  /**
   * Whether one node that stays is needed soon to keep the state: asked for in time, it saves
   * renting all of them.
   */
  private static boolean needsKeeper(Cluster cluster, SafetyNet net) {
    return cluster.workers() > 1 && !net.keepsEveryStep() && !net.willHold(cluster, 0, 0);
  }

  private static boolean releaseOnDemand(Cluster cluster) {
    for (int p = 0; p < cluster.pools(); p++) {
      int held = cluster.onDemand(p);
      if (held > 0) {
        cluster.release(p, Market.ON_DEMAND, 1);
        if (cluster.onDemand(p) < held) {
          return true;
        }
      }
    }
    return false;
  }
}

package io.deepvm.simulator.policy;

import io.deepvm.simulator.Cluster;
import io.deepvm.simulator.Recovery;
import io.deepvm.simulator.Scenario;

/** What a node of each pool costs all in all, and whether to take it or to wait. */
final class Offers {

  /** The speed aimed at is this many times the one that just meets the deadline. */
  private static final double HEADROOM = 1.25;

  private final int pools;
  private final int workers;
  private final double bootHours;
  private final double reformHours;
  private final double anchorsPerWorker;
  private final PoolRecords records;
  private final SafetyNet net;

  /** Pools by what they cost all in all. */
  private final int[] order;

  // Dollars per hour and node: for one that is held, for a new one, for a new one on a usual day.
  private final double[] held;
  private final double[] fresh;
  private final double[] usual;

  private SpeedCurve curve = new SpeedCurve(1, n -> n);
  private boolean started;

  // Of the moment.
  private boolean deadline;
  private double workHours;
  private double slackHours;
  private double reserveHours;
  private double tickHours;
  private double onDemandPrice;
  private double cheapest;
  private double restartHours;
  private int enough;

  Offers(Cluster cluster) {
    Scenario scenario = cluster.scenario();
    pools = cluster.pools();
    workers = cluster.workers();
    bootHours = scenario.startup().spotBootSeconds() / 3600;
    reformHours = scenario.startup().reformSeconds() / 3600;
    anchorsPerWorker = scenario.anchorsPerHour().dollars() / workers;
    records = new PoolRecords(pools, workers, scenario.recovery() == Recovery.RESTART);
    net = new SafetyNet(scenario, pools);
    order = new int[pools];
    held = new double[pools];
    fresh = new double[pools];
    usual = new double[pools];
  }

  /** Looks at the cluster; to be called before the questions below. */
  void look(Cluster cluster, Fleet fleet) {
    net.observe(cluster, fleet);
    if (!started) {
      started = true;
      curve = new SpeedCurve(workers, n -> net.speed(cluster, n));
    }
    double left = cluster.work() - cluster.done();
    double hours = (cluster.deadline() - cluster.now()) / 3600;
    deadline = hours < Double.POSITIVE_INFINITY;
    workHours = left / net.fullSpeed() / 3600;
    slackHours = hours - workHours;
    reserveHours = net.reserveSeconds(cluster) / 3600;
    tickHours = cluster.tickSeconds() / 3600;
    onDemandPrice = cluster.onDemandUsdPerHour(net.place());
    enough =
        deadline && hours > reserveHours
            ? curve.reaching(HEADROOM * left / ((hours - reserveHours) * 3600))
            : workers;
    records.observe(cluster, workHours);
    // A loss costs the lost node its start, all others a new generation, and the work undone.
    restartHours =
        bootHours
            + workers * reformHours
            + net.undoneHours(cluster, Math.min(workHours, PoolRecords.BELIEVED_LIFE_HOURS));
    price(cluster, Math.max(1, workers - fleet.spot));
  }

  /** Remembers what is held until it is looked at again. */
  void remember(Cluster cluster, Fleet fleet) {
    records.remember(cluster);
    net.remember(fleet);
  }

  SafetyNet net() {
    return net;
  }

  /** The pool at a place in the order. */
  int pool(int index) {
    return order[index];
  }

  /** Takes in how many nodes there were of those asked for. */
  void asked(int index, int want, int got) {
    if (got < want) {
      records.refused(order[index], want - got, tickHours);
    }
  }

  /** Whether there is time to start on spot before the deadline needs nodes on demand. */
  boolean slackForStart() {
    return slackHours
        >= Math.ceil(Math.max(1, bootHours / tickHours - 1e-9)) * tickHours + reserveHours;
  }

  boolean belowOnDemand(int index) {
    return fresh[order[index]] < onDemandPrice;
  }

  /**
   * Returns how many more places are worth filling than are taken.
   *
   * @param index of the pool in the order; after all pools stands on demand
   */
  int worthFilling(int index, int taken) {
    double price = index == pools ? onDemandPrice : fresh[order[index]];
    int upTo = Math.min(index, pools - 1);
    double none = 1;
    double later = 0;
    for (int i = 0; i <= upTo; i++) {
      int p = order[i];
      double chance = none * records.share(p);
      none -= chance;
      later += chance * Math.min(price, usual[p]);
    }
    later += none * price;
    double worth = slackWorth(none);
    int more = 0;
    while (taken + more < workers
        && price * curve.dearer(taken + more + 1, enough) - later <= worth) {
      more++;
    }
    return more;
  }

  /** What moving nodes saves in their expected lives, less a multiple of what it costs. */
  double saving(Cluster cluster, int from, int to, int count, double margin) {
    int source = order[from];
    int target = order[to];
    double life = Math.min(records.life(source), records.life(target));
    double price = cluster.spotUsdPerHour(target);
    double saved = (held[source] - held[target]) * Math.max(0, life - bootHours) * count;
    double cost =
        price * (bootHours * count + 2 * reformHours * workers) + cluster.moveUsd(source, target);
    return saved - margin * cost;
  }

  /** Dollars that an hour of an empty place costs when no pool as cheap has nodes so often. */
  private double slackWorth(double without) {
    if (!deadline) {
      // Without a deadline an hour is worth as much as an hour's work.
      return cheapest + anchorsPerWorker;
    }
    int best = order[0];
    return anchorsPerWorker
        + SlackWorth.perHour(
            workHours,
            slackHours - reserveHours - tickHours,
            records.life(best),
            restartHours,
            without * (workHours + slackHours),
            Math.max(0, onDemandPrice - cheapest));
  }

  private void price(Cluster cluster, int missing) {
    int home = cluster.home();
    for (int p = 0; p < pools; p++) {
      double price = cluster.spotUsdPerHour(p);
      double life = records.life(p);
      double usualLife = records.usualLife(p);
      double risk = SlackWorth.risk(workHours, slackHours - reserveHours, life, restartHours);
      boolean elsewhere = home >= 0 && home != p && cluster.spot(p) == 0 && cluster.done() > 0;
      double move = elsewhere ? cluster.moveUsd(home, p) / missing : 0;
      held[p] =
          price * (1 + restartHours / Math.max(life, bootHours))
              + Math.max(0, onDemandPrice - price) * risk;
      fresh[p] = held[p] + move / Math.max(life - bootHours, bootHours);
      usual[p] =
          price * (1 + restartHours / Math.max(usualLife, bootHours))
              + move / Math.max(usualLife - bootHours, bootHours);
      int at = p;
      while (at > 0 && fresh[order[at - 1]] > fresh[p]) {
        order[at] = order[at - 1];
        at--;
      }
      order[at] = p;
    }
    cheapest = cluster.spotUsdPerHour(order[0]);
  }
}

package io.deepvm.simulator.policy;

import io.deepvm.simulator.Cluster;

/**
 * What was seen of each pool: how long its nodes live and how often it has any.
 *
 * <p>Everything is counted in whole clusters, so that beliefs weigh the same for one worker and for
 * many. A pool that takes nodes back soon after they were rented is likely to go on like that for a
 * while, and may be calm again later: life is the shorter of what its last losses say and what the
 * last hours say.
 */
final class PoolRecords {

  /** Believed of a pool nobody has tried: a loss every this many hours. */
  static final double BELIEVED_LIFE_HOURS = 8;

  /** How many losses that belief is worth beside the pool's usual ways. */
  private static final double BELIEVED_LOSSES = 2;

  /** Believed beside the last hours: this many losses in this many hours. */
  private static final double BELIEVED_CALM_LOSSES = 0.6;

  private static final double BELIEVED_CALM_HOURS = 6;

  /** A burst of losses is forgotten in this many hours. */
  private static final double CALMING_HOURS = 1.5;

  /** The weight that a loss leaves to all before it. */
  private static final double WEIGHT_KEPT_PER_LOSS = 0.3;

  /** Believed of a pool nobody has tried: it has nodes this part of the time. */
  private static final double BELIEVED_SHARE = 0.7;

  private static final double BELIEVED_SHARE_HOURS = 2;

  /** Whether a pool had nodes is forgotten in this many hours. */
  private static final double SHARE_FORGOTTEN_HOURS = 24;

  private final int workers;
  private final boolean allRestart;
  private final double[] losses;
  private final double[] hours;
  private final double[] recentLosses;
  private final double[] recentHours;
  private final double[] askedHours;
  private final double[] hadHours;
  private final int[] held;
  private double seconds;
  private double horizonHours;

  /**
   * Knows nothing yet.
   *
   * @param allRestart whether one lost node is as bad as all of them
   */
  PoolRecords(int pools, int workers, boolean allRestart) {
    this.workers = workers;
    this.allRestart = allRestart;
    this.losses = new double[pools];
    this.hours = new double[pools];
    this.recentLosses = new double[pools];
    this.recentHours = new double[pools];
    this.askedHours = new double[pools];
    this.hadHours = new double[pools];
    this.held = new int[pools];
  }

  /**
   * Takes in what became of the nodes that were held.
   *
   * @param workHours how long the rest of the work takes: no life beyond that matters
   */
  void observe(Cluster cluster, double workHours) {
    horizonHours = workHours;
    double passed = (cluster.now() - seconds) / 3600;
    seconds = cluster.now();
    double calmed = Math.exp(-passed / CALMING_HOURS);
    double forgotten = Math.exp(-passed / SHARE_FORGOTTEN_HOURS);
    for (int p = 0; p < held.length; p++) {
      int gone = Math.max(0, held[p] - cluster.spot(p));
      double lost = allRestart && gone > 0 ? 1 : (double) gone / workers;
      double watched = held[p] * passed / workers;
      double kept = lost > 0 ? Math.pow(WEIGHT_KEPT_PER_LOSS, lost) : 1;
      losses[p] = losses[p] * kept + lost;
      hours[p] = (hours[p] + watched) * kept;
      recentLosses[p] = recentLosses[p] * calmed + lost;
      recentHours[p] = recentHours[p] * calmed + watched;
      askedHours[p] = askedHours[p] * forgotten + watched;
      hadHours[p] = hadHours[p] * forgotten + watched - gone * passed / workers;
    }
  }

  /** Takes in that this many nodes were asked for in vain. */
  void refused(int pool, int count, double tickHours) {
    askedHours[pool] += count * tickHours / workers;
  }

  /** Remembers what is held until it is looked at again. */
  void remember(Cluster cluster) {
    for (int p = 0; p < held.length; p++) {
      held[p] = cluster.spot(p);
    }
  }

  /** How long a node of the pool usually lives, in hours. */
  double usualLife(int pool) {
    double life =
        (BELIEVED_LOSSES * BELIEVED_LIFE_HOURS + hours[pool]) / (BELIEVED_LOSSES + losses[pool]);
    return Math.min(horizonHours, life);
  }

  /** How long a node of the pool lives that is rented now, in hours. */
  double life(int pool) {
    double recent =
        (BELIEVED_CALM_HOURS + recentHours[pool]) / (BELIEVED_CALM_LOSSES + recentLosses[pool]);
    return Math.min(usualLife(pool), recent);
  }

  /** The part of the time in which the pool has nodes. */
  double share(int pool) {
    return (BELIEVED_SHARE * BELIEVED_SHARE_HOURS + Math.max(0, hadHours[pool]))
        / (BELIEVED_SHARE_HOURS + askedHours[pool]);
  }
}

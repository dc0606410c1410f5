package io.deepvm.simulator.policy;

/**
 * What time to spare is worth: it pays for restarts and for waiting, and who has none left goes on
 * demand.
 *
 * <p>The restarts to come are taken as normal around their expected number. With time for one
 * restart more, the spot nodes are used for one life longer; so that is what the time of a restart
 * is worth, as far as it is likely to be needed.
 */
final class SlackWorth {

  /** Losses come in bursts: their variance beside that of independent ones. */
  private static final double BURSTINESS = 0.5;

  /** How far outages stray from what is expected of them, as a part of it. */
  private static final double OUTAGE_SPREAD = 1;

  /**
   * The part of an hour on demand that an hour of waiting less saves when waits use up the slack:
   * the hour may still be had on spot, if another outage ends earlier than believed.
   */
  private static final double WAITING_WEIGHT = 0.1;

  private static final double LEAST_HOURS = 1e-6;

  private SlackWorth() {}

  /** How likely restarts use up the slack before the work is done. */
  static double risk(double workHours, double slackHours, double lifeHours, double restartHours) {
    if (slackHours == Double.POSITIVE_INFINITY) {
      return 0;
    }
    double restarts = workHours / lifeHours;
    return above((slackHours - restarts * restartHours) / spread(restarts, restartHours));
  }

  /**
   * Dollars per hour of slack and node.
   *
   * @param outageHours for which there is likely no spot node until the deadline
   * @param premium dollars per hour that on demand costs more
   */
  static double perHour(
      double workHours,
      double slackHours,
      double lifeHours,
      double restartHours,
      double outageHours,
      double premium) {
    double restarts = workHours / lifeHours;
    double used = restarts * restartHours;
    double spread = spread(restarts, restartHours);
    double forRestarts = above((slackHours - used) / spread);
    double forAll =
        above((slackHours - used - outageHours) / (spread + OUTAGE_SPREAD * outageHours));
    double livesPerHour = lifeHours / Math.max(restartHours, LEAST_HOURS);
    return premium * (WAITING_WEIGHT * forAll + livesPerHour * forRestarts);
  }

  private static double spread(double restarts, double restartHours) {
    return Math.sqrt(BURSTINESS * (restarts + 1)) * restartHours + LEAST_HOURS;
  }

  /** The normal distribution's tail, by Bowling's logistic approximation (2009). */
  private static double above(double z) {
    return 1 / (1 + Math.exp(z * (1.5976 + 0.07056 * z * z)));
  }
}

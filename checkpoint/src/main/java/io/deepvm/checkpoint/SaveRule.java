package io.deepvm.checkpoint;

import io.deepvm.base.BadInput;

/** When to save. The checkpoint engine follows such a rule, and simulations follow the same one. */
public sealed interface SaveRule {

  /**
   * Returns the seconds of training between two saves; 0 to keep every step, infinity to save
   * never.
   *
   * @param losses the losses seen so far
   * @param uptimeSeconds the time in which they were seen
   */
  double seconds(Cost cost, double losses, double uptimeSeconds);

  /**
   * What a save costs.
   *
   * @param stallSeconds for which training waits
   * @param writeSeconds from then until the save is safe
   */
  record Cost(double stallSeconds, double writeSeconds) {}

  /** What is believed of losses before any was seen: this many in this time. */
  record Belief(double losses, double seconds) {

    /** Returns the mean time between losses, after some more were seen; infinite without any. */
    double meanUptimeSeconds(double seen, double uptimeSeconds) {
      return (seconds + uptimeSeconds) / (losses + seen);
    }
  }

  /** Returns the rule to save every this many seconds, or to keep every step if that is 0. */
  static SaveRule every(double seconds) {
    return seconds == 0 ? new EveryStep() : new Fixed(seconds);
  }

  /** No save at all. */
  record Never() implements SaveRule {
    @Override
    public double seconds(Cost cost, double losses, double uptimeSeconds) {
      return Double.POSITIVE_INFINITY;
    }
  }

  /** Every step is kept at once, and costs nothing. */
  record EveryStep() implements SaveRule {
    @Override
    public double seconds(Cost cost, double losses, double uptimeSeconds) {
      return 0;
    }
  }

  /** A save after each time of this length. */
  record Fixed(double seconds) implements SaveRule {
    public Fixed {
      if (!(seconds > 0)) {
        throw new BadInput(
            "The time between checkpoints (%s s) must be above 0.".formatted(seconds),
            "Maybe write it like 10min.");
      }
    }

    @Override
    public double seconds(Cost cost, double losses, double uptimeSeconds) {
      return seconds;
    }
  }

  /**
   * Young's rule (1974): with a stall C and a mean time M between losses, about the least time is
   * lost at sqrt(2 C M). It never saves more often than a save can be written.
   */
  record Young(Belief belief) implements SaveRule {
    @Override
    public double seconds(Cost cost, double losses, double uptimeSeconds) {
      double uptime = belief.meanUptimeSeconds(losses, uptimeSeconds);
      return Math.max(cost.writeSeconds(), Math.sqrt(2 * cost.stallSeconds() * uptime));
    }
  }

  /** Young's rule with Daly's correction (2006), which matters when losses are frequent. */
  record Daly(Belief belief) implements SaveRule {
    @Override
    public double seconds(Cost cost, double losses, double uptimeSeconds) {
      double uptime = belief.meanUptimeSeconds(losses, uptimeSeconds);
      return Math.max(cost.writeSeconds(), best(cost.stallSeconds(), uptime));
    }

    private static double best(double stall, double uptime) {
      if (stall >= 2 * uptime) {
        return uptime;
      }
      double ratio = stall / (2 * uptime);
      return Math.sqrt(2 * stall * uptime) * (1 + Math.sqrt(ratio) / 3 + ratio / 9) - stall;
    }
  }
}

package io.deepvm.simulator.forecast;

import io.deepvm.market.Notice;
import io.deepvm.simulator.Checkpointing;

/**
 * How much training is lost when all members are taken at once.
 *
 * @param intervalSeconds of training between two checkpoints, as far as the network allows
 */
record LossRule(Checkpointing checkpoints, double intervalSeconds) {

  static LossRule of(Checkpointing checkpoints) {
    double wanted = checkpoints.intervalSeconds(0, 0);
    // The next save begins when the one before is out.
    return new LossRule(checkpoints, Math.max(wanted, checkpoints.shipSeconds()));
  }

  /** Returns the share of the time between losses in which members train and do not stall. */
  double trainingShare() {
    return Double.isInfinite(intervalSeconds) || intervalSeconds <= 0
        ? 1
        : intervalSeconds / (intervalSeconds + checkpoints.stallSeconds());
  }

  /**
   * Returns the seconds of training that are lost.
   *
   * @param trained seconds since the state was last loaded
   * @param members that are all taken
   * @param tickSeconds a notice comes no earlier than one tick before
   */
  double lostSeconds(double trained, int members, Notice notice, double tickSeconds) {
    if (checkpoints.keepsEveryStep()) {
      return 0;
    }
    double lead = Math.min(notice.leadSeconds(), tickSeconds);
    double needs = checkpoints.stallSeconds() + checkpoints.shipSeconds();
    double scheduled = unannounced(trained);
    if (!checkpoints.justInTime() || !checkpoints.kept() || needs >= lead || trained < lead) {
      return scheduled;
    }
    double warned = halfAreWarned(members, notice.reliability());
    return warned * (lead - checkpoints.stallSeconds()) + (1 - warned) * scheduled;
  }

  /** Returns the seconds since the last checkpoint that was out of reach of the loss. */
  double unannounced(double trained) {
    if (!checkpoints.kept() || Double.isInfinite(intervalSeconds) || intervalSeconds <= 0) {
      return trained;
    }
    double saves = Math.floor((trained - checkpoints.shipSeconds()) / intervalSeconds);
    return trained - Math.max(0, saves) * intervalSeconds;
  }

  /** Returns the mean seconds that are lost at a random moment without notice. */
  double usual() {
    return checkpoints.keepsEveryStep() || Double.isInfinite(intervalSeconds)
        ? 0
        : intervalSeconds / 2 + checkpoints.shipSeconds();
  }

  /** Returns the chance that at least half of the members have notice: then a save begins. */
  private static double halfAreWarned(int members, double reliability) {
    double chance = 0;
    double term = Math.pow(1 - reliability, members);
    if (reliability >= 1) {
      return 1;
    }
    for (int warned = 0; warned <= members; warned++) {
      if (2 * warned >= members) {
        chance += term;
      }
      term *= (double) (members - warned) / (warned + 1) * reliability / (1 - reliability);
    }
    return Math.min(1, chance);
  }
}

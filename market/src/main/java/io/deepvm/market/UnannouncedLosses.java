package io.deepvm.market;

import io.deepvm.base.BadInput;
import java.util.Locale;

/**
 * Losses that no notice precedes.
 *
 * @param share of revocations whose notice does not come
 * @param crashesPerNodeHour how often one node fails by itself, on spot or on demand
 */
public record UnannouncedLosses(double share, double crashesPerNodeHour) {

  /** Every notice comes and no node crashes. */
  public static final UnannouncedLosses NONE = new UnannouncedLosses(0, 0);

  /**
   * Unexpected interruptions per node and hour of the Llama 3 405B pre-training: 419 in 54 days on
   * 2,048 nodes with 8 H100 each (Meta, "The Llama 3 Herd of Models", July 2024, section 3.3.4).
   */
  public static final double CRASHES_PER_NODE_HOUR = 419 / (54 * 24 * 2048.0);

  /**
   * AWS sends notices "on a best effort basis"; GCP and Azure promise up to 30 s, without an SLA
   * (documents read in November 2026). None publishes how many fail, so this is an assumption.
   */
  public static final double BEST_EFFORT_FAILS = 0.05;

  public UnannouncedLosses {
    if (!(share >= 0 && share <= 1) || !(crashesPerNodeHour >= 0 && crashesPerNodeHour < 3600)) {
      throw new BadInput(
          String.format(
              Locale.ROOT,
              "A share of %s losses without notice and %s crashes an hour cannot be.",
              share,
              crashesPerNodeHour),
          "Maybe give a share from 0 to 1 and a rate of at least 0.");
    }
  }

  /** Returns what is assumed of a cloud; one that promises no notice sends none. */
  public static UnannouncedLosses of(String cloud) {
    boolean promises = Notice.of(cloud).reliability() > 0;
    return new UnannouncedLosses(promises ? BEST_EFFORT_FAILS : 1, CRASHES_PER_NODE_HOUR);
  }

  /** Returns the same with another share of revocations without notice. */
  public UnannouncedLosses withShare(double other) {
    return new UnannouncedLosses(other, crashesPerNodeHour);
  }
}

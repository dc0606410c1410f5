package io.deepvm.checkpoint.tier;

import java.util.List;

/** A store with anchors before it, which are faster and get each checkpoint first. */
public final class AnchoredStore {

  private static final int COPIES = 2;

  private AnchoredStore() {}

  /**
   * Returns the tiers to save into, the fastest first. Two anchors keep each checkpoint, or the one
   * that is left. An archive is filled from the anchors; when none is left, what they would have
   * got goes into it directly.
   */
  public static List<Tier> tiers(List<Tier> anchors, Tier store) {
    if (anchors.isEmpty()) {
      return List.of(store);
    }
    Tier all =
        new SpreadTier("anchors", Level.REPLICATED, anchors, Math.min(COPIES, anchors.size()));
    if (store.level() != Level.ARCHIVED) {
      return List.of(all, store);
    }
    // around all of them: while one is left, the archive's speed does not matter
    Tier reserved =
        new SpreadTier("anchors", Level.REPLICATED, List.of(all), 1, new ReserveTier(store));
    return List.of(reserved, store);
  }
}

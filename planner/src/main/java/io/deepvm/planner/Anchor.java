package io.deepvm.planner;

import io.deepvm.catalog.Offer;
import java.util.Comparator;

/** An on-demand offer that can hold checkpoints, in plain numbers. */
record Anchor(Offer offer, long price, long memoryBytes, long bitsPerSecond, int limit) {

  static final Comparator<Anchor> CHEAPEST_FIRST =
      Comparator.comparingLong(Anchor::price)
          .thenComparing(anchor -> anchor.offer().machine().name())
          .thenComparing(anchor -> anchor.offer().place().toString());

  /** Whether it can stand in for the other one at no disadvantage, given that it is no dearer. */
  boolean covers(Anchor other) {
    return memoryBytes >= other.memoryBytes
        && bitsPerSecond >= other.bitsPerSecond
        && limit >= other.limit;
  }
}

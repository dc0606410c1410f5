package io.deepvm.market;

import io.deepvm.base.SplitMix64;
import java.util.Random;

/** Turns seeds into generators, so that neighbouring seeds give unlike numbers. */
public final class Seeds {

  private Seeds() {}

  /** Returns the generator of a seed; {@link Random} gives the same numbers on every JDK. */
  public static Random random(long seed) {
    // Random alone begins alike for seeds that lie close together.
    return new Random(SplitMix64.mix(seed));
  }
}

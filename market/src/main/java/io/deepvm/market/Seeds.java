package io.deepvm.market;

import java.util.Random;

/** Turns seeds into generators, so that neighbouring seeds give unlike numbers. */
public final class Seeds {

  private Seeds() {}

  /** Returns the generator of a seed; {@link Random} gives the same numbers on every JDK. */
  public static Random random(long seed) {
    // The finisher of SplitMix64: Random alone begins alike for seeds that lie close together.
    long mixed = (seed ^ (seed >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return new Random(mixed ^ (mixed >>> 31));
  }
}

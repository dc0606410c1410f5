package io.deepvm.base;

/** Mixes the bits of a number, so that numbers close together give numbers far apart. */
public final class SplitMix64 {

  /** The step between the numbers that are mixed one after the other. */
  public static final long STEP = 0x9e3779b97f4a7c15L;

  private SplitMix64() {}

  /** Returns the mixed number; each number has one of its own. */
  public static long mix(long number) {
    long z = (number ^ (number >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}

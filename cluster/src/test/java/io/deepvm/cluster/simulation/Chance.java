package io.deepvm.cluster.simulation;

import java.util.SplittableRandom;

/**
 * The random source of one concern. Each concern has its own, so that one more draw in one does not
 * shift the others.
 */
final class Chance {

  private final SplittableRandom random;

  Chance(long seed, String concern) {
    random = new SplittableRandom(seed * 1_000_003 + concern.hashCode());
  }

  boolean hits(double share) {
    return share > 0 && random.nextDouble() < share;
  }

  int below(int bound) {
    return random.nextInt(bound);
  }

  long between(long from, long to) {
    return from + (to > from ? random.nextLong(to - from + 1) : 0);
  }

  /** Returns a rate that is zero in many runs and differs by orders of magnitude in others. */
  double rate(double most) {
    return random.nextInt(3) == 0 ? 0 : most * Math.pow(10, -2 * random.nextDouble());
  }
}

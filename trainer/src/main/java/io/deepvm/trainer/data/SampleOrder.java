package io.deepvm.trainer.data;

import io.deepvm.base.SplitMix64;

/**
 * In which order samples come: every epoch all of them once, in an order of its own. Where a sample
 * stands is computed, so a position is all that has to be remembered.
 */
public record SampleOrder(long seed, long size) {

  private static final int ROUNDS = 4;

  /** Returns the sample at this position, counted over all epochs. */
  public long sample(long position) {
    long epoch = position / size;
    long index = position % size;
    int half = Math.max(1, (65 - Long.numberOfLeadingZeros(size - 1)) / 2);
    // A Feistel network permutes a power of four; walking on until inside permutes what is less.
    do {
      index = permute(index, half, mix(seed + SplitMix64.STEP * (epoch + 1)));
    } while (index >= size);
    return index;
  }

  private static long permute(long index, int half, long key) {
    long mask = (1L << half) - 1;
    long left = index >>> half;
    long right = index & mask;
    for (int round = 0; round < ROUNDS; round++) {
      long next = left ^ (mix(key + round + (right << 8)) & mask);
      left = right;
      right = next;
    }
    return left << half | right;
  }

  /** Returns a number that looks random and is a function of the given one. */
  public static long mix(long value) {
    return SplitMix64.mix(value + SplitMix64.STEP);
  }
}

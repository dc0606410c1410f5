package io.deepvm.trainer.data;

import java.util.SplittableRandom;

/**
 * Text that can be learnt: mostly, a letter follows from the two before it. Any sample is computed
 * from its number.
 */
public final class GeneratedText implements Dataset {

  private static final double RULE = 0.8;

  private final long seed;
  private final long size;
  private final int letters;
  private final int length;

  /** Makes this many samples of this length from this many letters. */
  public GeneratedText(long seed, long size, int letters, int length) {
    this.seed = seed;
    this.size = size;
    this.letters = letters;
    this.length = length;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public int inputSize() {
    return length;
  }

  @Override
  public int labelSize() {
    return length;
  }

  @Override
  public int classes() {
    return letters;
  }

  @Override
  public void read(long sample, float[] input, int inputAt, float[] labels, int labelsAt) {
    SplittableRandom random = new SplittableRandom(SampleOrder.mix(seed ^ SampleOrder.mix(sample)));
    int before = random.nextInt(letters);
    int last = random.nextInt(letters);
    for (int i = 0; i < length; i++) {
      int next =
          random.nextDouble() < RULE
              ? (int)
                  Long.remainderUnsigned(
                      SampleOrder.mix(seed + (long) before * letters + last), letters)
              : random.nextInt(letters);
      input[inputAt + i] = last;
      labels[labelsAt + i] = next;
      before = last;
      last = next;
    }
  }
}

package io.deepvm.trainer.data;

import java.util.SplittableRandom;

/**
 * Images of 3 x 32 x 32 that can be learnt: each class has a pattern of waves, each image is its
 * class's pattern under noise. Any image is computed from its number.
 */
public final class GeneratedImages implements Dataset {

  private static final int CHANNELS = 3;
  private static final int SIDE = 32;
  private static final int PIXELS = CHANNELS * SIDE * SIDE;
  private static final int WAVES = 4;

  private final long seed;
  private final long size;
  private final double noise;
  private final float[][] patterns;

  /** Makes this many images of this many classes, with noise of this standard deviation. */
  public GeneratedImages(long seed, long size, int classes, double noise) {
    this.seed = seed;
    this.size = size;
    this.noise = noise;
    patterns = new float[classes][];
    for (int label = 0; label < classes; label++) {
      patterns[label] = pattern(new SplittableRandom(SampleOrder.mix(seed) + label));
    }
  }

  private static float[] pattern(SplittableRandom random) {
    float[] pixels = new float[PIXELS];
    for (int wave = 0; wave < WAVES * CHANNELS; wave++) {
      double x = random.nextDouble(-3, 3) * Math.PI / SIDE * 2;
      double y = random.nextDouble(-3, 3) * Math.PI / SIDE * 2;
      double phase = random.nextDouble(2 * Math.PI);
      int channel = wave % CHANNELS;
      for (int i = 0; i < SIDE * SIDE; i++) {
        int row = i / SIDE;
        pixels[channel * SIDE * SIDE + i] +=
            (float) (StrictMath.sin(x * (i % SIDE) + y * row + phase) / 2);
      }
    }
    return pixels;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public int inputSize() {
    return PIXELS;
  }

  @Override
  public int labelSize() {
    return 1;
  }

  @Override
  public int classes() {
    return patterns.length;
  }

  @Override
  public void read(long sample, float[] input, int inputAt, float[] labels, int labelsAt) {
    SplittableRandom random = new SplittableRandom(SampleOrder.mix(seed ^ SampleOrder.mix(sample)));
    int label = random.nextInt(patterns.length);
    labels[labelsAt] = label;
    for (int i = 0; i < PIXELS; i++) {
      input[inputAt + i] = patterns[label][i] + (float) (noise * random.nextGaussian());
    }
  }
}

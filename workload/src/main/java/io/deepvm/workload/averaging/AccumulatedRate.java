package io.deepvm.workload.averaging;

import io.deepvm.units.BadInput;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The speed of a machine that adds every micro-batch's gradients to a second buffer. */
public final class AccumulatedRate {

  private static final Map<String, Double> BYTES_PER_SECOND = read();

  private AccumulatedRate() {}

  /**
   * Returns samples per second while accumulating, from those without.
   *
   * @param microBatch samples between two additions
   * @param memoryBytesPerSecond of one GPU
   */
  public static double of(
      double samplesPerSecond, int microBatch, double memoryBytesPerSecond, TrainedModel model) {
    if (microBatch < 1) {
      throw new BadInput(
          "The micro-batch of %d samples is less than 1.".formatted(microBatch), "Maybe 32.");
    }
    double addition =
        Coefficients.STUDY.accumulationBytes() * model.parameters() / memoryBytesPerSecond;
    return microBatch / (microBatch / samplesPerSecond + addition);
  }

  /** Returns the memory bandwidth of a GPU in bytes per second, or null when not known. */
  public static @Nullable Double memoryBytesPerSecond(String gpu) {
    return BYTES_PER_SECOND.get(gpu);
  }

  private static Map<String, Double> read() {
    Map<String, Double> speeds = new HashMap<>();
    for (String[] row : Resource.rows("gpu-memory.csv")) {
      speeds.put(row[0], Double.parseDouble(row[1]) * 1e9);
    }
    return Map.copyOf(speeds);
  }
}

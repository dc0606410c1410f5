package io.deepvm.workload.averaging;

import io.deepvm.base.BadInput;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What must be known of a job to predict peers that average.
 *
 * @param samplesPerSecond of a machine alone by the clock on the wall, by instance type (the whole
 *     machine) or by GPU name (one GPU)
 * @param microBatch samples of one GPU between two additions of gradients
 * @param targetBatches sizes to choose from, of which the largest is never slower or dearer
 * @param coefficients of the model; the study's unless others were fitted
 */
public record AveragingProfile(
    Map<String, Double> samplesPerSecond,
    int microBatch,
    List<Integer> targetBatches,
    Protocol protocol,
    Coefficients coefficients) {

  /** The largest that the study's runs used. */
  public static final int USUAL_TARGET_BATCH = 32768;

  public AveragingProfile {
    samplesPerSecond = Collections.unmodifiableMap(new TreeMap<>(samplesPerSecond));
    targetBatches = targetBatches.stream().sorted().toList();
    if (targetBatches.isEmpty() || targetBatches.get(0) < 1) {
      throw new BadInput(
          "The target batch sizes %s are not numbers from 1 up.".formatted(targetBatches),
          "Maybe 32768, or [8192, 16384, 32768].");
    }
  }

  public int largestTargetBatch() {
    return targetBatches.get(targetBatches.size() - 1);
  }
}

package io.deepvm.workload.parameterserver;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import org.jspecify.annotations.Nullable;

/**
 * What was measured of one kind of GPU, or of one instance type where that is known better.
 *
 * @param batch samples per iteration of one GPU
 * @param computeSeconds per iteration, without transfers
 * @param request bandwidth to the servers when alone; null for the job's own
 * @param pcie bandwidth inside the machine; null for the job's own
 */
public record GpuProfile(
    double batch, double computeSeconds, @Nullable Bandwidth request, @Nullable Bandwidth pcie) {

  /** The largest power of two of samples that fits the memory: equation 10. */
  public static double batch(double samplesPerGb, double samplesAtNone, double memoryGb) {
    double fitting = samplesPerGb * memoryGb + samplesAtNone;
    if (!(fitting >= 1)) {
      throw new BadInput(
          "Not one sample fits into %s GB of GPU memory.".formatted(memoryGb),
          "Maybe the batch coefficients are of another job.");
    }
    return Math.scalb(1.0, Math.getExponent(fitting * (1 + 1e-12)));
  }
}

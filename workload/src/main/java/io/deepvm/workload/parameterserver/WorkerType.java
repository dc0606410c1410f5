package io.deepvm.workload.parameterserver;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;

/**
 * An instance type as the model sees it; one worker is one instance, whatever its number of GPUs.
 *
 * @param batch samples per iteration of the whole worker
 * @param computeSeconds what its GPUs compute per iteration, without any transfer
 * @param request the bandwidth it uses towards the servers when alone
 * @param pcie the bandwidth between its GPUs and its memory
 */
public record WorkerType(
    String name,
    double gpus,
    double batch,
    double computeSeconds,
    Bandwidth request,
    Bandwidth pcie) {

  public WorkerType {
    if (!(gpus > 0 && batch > 0 && computeSeconds >= 0 && Double.isFinite(computeSeconds))) {
      throw new BadInput(
          "The worker %s (%s GPUs, batch %s, %s s per iteration) cannot train."
              .formatted(name, gpus, batch, computeSeconds),
          "Maybe the profile has a wrong sign: GPUs and batch are above 0, seconds at least 0.");
    }
    requirePositive(name + "'s bandwidth to the servers", request);
    requirePositive(name + "'s PCIe bandwidth", pcie);
  }

  static void requirePositive(String what, Bandwidth bandwidth) {
    if (bandwidth.bitsPerSecond() <= 0) {
      throw new BadInput(
          "The %s is %s, but must be above 0.".formatted(what, bandwidth),
          "Maybe write it like 142MB/s.");
    }
  }
}

package io.deepvm.workload.parameterserver;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Machine;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What must be known of a job to predict its asynchronous training.
 *
 * @param parameters the size of the parameters, which is also that of a gradient
 * @param request the bandwidth that a worker uses towards the servers when alone
 * @param pcie the bandwidth between a worker's GPUs and its memory
 * @param gpus what was measured, by instance type or by name of the GPU
 * @param turns how workers take turns at the servers; null where they contend as published
 */
public record ParameterServerProfile(
    DataSize parameters,
    Bandwidth request,
    Bandwidth pcie,
    Contention contention,
    LossCurve loss,
    Map<String, GpuProfile> gpus,
    @Nullable TurnTaking turns) {

  /** Workers that contend as published. */
  public ParameterServerProfile(
      DataSize parameters,
      Bandwidth request,
      Bandwidth pcie,
      Contention contention,
      LossCurve loss,
      Map<String, GpuProfile> gpus) {
    this(parameters, request, pcie, contention, loss, gpus, null);
  }

  public ParameterServerProfile {
    gpus = Map.copyOf(gpus);
    if (parameters.bytes() <= 0) {
      throw new BadInput(
          "The parameters take %s.".formatted(parameters), "Maybe write it like 11.54MB.");
    }
    WorkerType.requirePositive("bandwidth to the servers", request);
    WorkerType.requirePositive("PCIe bandwidth", pcie);
  }

  /** Returns the profile with another loss curve, such as one fitted while training. */
  public ParameterServerProfile withLoss(LossCurve other) {
    return new ParameterServerProfile(parameters, request, pcie, contention, other, gpus, turns);
  }

  /** Returns the profile with other measurements. */
  public ParameterServerProfile withGpus(Map<String, GpuProfile> others) {
    return new ParameterServerProfile(parameters, request, pcie, contention, loss, others, turns);
  }

  /** Returns the profile with other contention. */
  public ParameterServerProfile withContention(Contention other) {
    return new ParameterServerProfile(parameters, request, pcie, other, loss, gpus, turns);
  }

  /** Returns the profile of workers that take turns at the servers. */
  public ParameterServerProfile withTurns(TurnTaking other) {
    return new ParameterServerProfile(parameters, request, pcie, contention, loss, gpus, other);
  }

  /**
   * Returns the machine as a worker, or null when neither it nor its GPU was measured. A machine
   * cannot use more than its own network card, so that bounds the job's bandwidth when it is known.
   */
  public @Nullable WorkerType worker(Machine machine) {
    Gpus owned = machine.gpus();
    if (owned == null) {
      return null;
    }
    GpuProfile measured = gpus.get(machine.name());
    if (measured == null) {
      measured = gpus.get(owned.model().name());
    }
    if (measured == null) {
      return null;
    }
    Bandwidth own = measured.request();
    if (own == null) {
      own = machine.network() == null ? request : Bandwidth.min(request, machine.network());
    }
    return new WorkerType(
        machine.name(),
        owned.count(),
        owned.count() * measured.batch(),
        measured.computeSeconds(),
        own,
        measured.pcie() == null ? pcie : measured.pcie());
  }

  /** Returns the worker whose speed alone was measured: equations 6 and 7 solved for computing. */
  public WorkerType measuredWorker(
      String name, int count, double batchPerGpu, double samplesPerSecond) {
    double transfers =
        turns == null
            ? 2.0 * parameters.bytes() / request.bytesPerSecond()
                + 2.0 * count * parameters.bytes() / pcie.bytesPerSecond()
            : turns.aloneSeconds(parameters, request);
    double batch = count * batchPerGpu;
    return new WorkerType(name, count, batch, batch / samplesPerSecond - transfers, request, pcie);
  }
}

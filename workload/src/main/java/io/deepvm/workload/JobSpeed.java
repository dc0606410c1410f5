package io.deepvm.workload;

import io.deepvm.base.Numbers;
import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.speed.MeasuredSpeed;
import io.deepvm.workload.speed.MeasuredSpeedModel;
import io.deepvm.workload.speed.ModelShape;
import io.deepvm.workload.speed.SpeedBasis;
import io.deepvm.workload.speed.SpeedEstimate;
import io.deepvm.workload.speed.SpeedQuestion;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How fast one machine alone trains a job: what the job states, else what follows from its
 * measurements, else from those of its model, else from the datasheet.
 */
public final class JobSpeed {

  /** How far the speed-up of several GPUs of one machine is off, as a logarithm. */
  private static final double GPUS_SPREAD = 0.1;

  private final Job job;
  private final Map<String, Double> measured;
  private final @Nullable MeasuredSpeedModel model;
  private final ModelShape shape;
  private final double flopPerSample;
  private final Map<String, Optional<SpeedEstimate>> byMachine = new HashMap<>();

  private JobSpeed(Job job, Map<String, Double> measured, List<MeasuredSpeed> rows) {
    this.job = job;
    this.measured = measured;
    KnownSpeeds known = job.profiles().speeds();
    shape =
        new ModelShape(
            known.model() == null ? job.name() : known.model(),
            job.profiles().model(),
            flopPerSample(job.work()),
            null,
            known.sampleSize());
    if (!rows.isEmpty()) {
      // The job's own software counts, not that of other measurements of the same model.
      model = MeasuredSpeedModel.builtIn().without(shape.name()).with(rows);
    } else {
      model = known.model() == null ? null : MeasuredSpeedModel.builtIn();
    }
    flopPerSample = shape.flopPerSample() != null ? shape.flopPerSample() : flopOf(rows);
  }

  /**
   * Returns the speeds of a job.
   *
   * @param machines among which the instance types are that the job measured
   */
  public static JobSpeed of(Job job, Iterable<Machine> machines) {
    Map<String, Double> measured = job.measuredSpeeds();
    return new JobSpeed(
        job, measured, measured.isEmpty() ? List.of() : OwnSpeeds.of(job, measured, machines));
  }

  private static @Nullable Double flopPerSample(@Nullable Work work) {
    return work == null || work.samples() == null ? null : work.flop() / work.samples();
  }

  /** Returns what makes the fastest measured GPU reach its peak, so that speeds compare. */
  private double flopOf(List<MeasuredSpeed> rows) {
    double flop = 0;
    for (MeasuredSpeed row : rows) {
      Double peak = row.gpu().flops(job.precision());
      flop = peak == null ? flop : Math.max(flop, peak / row.perGpu());
    }
    return flop;
  }

  /**
   * Returns the peak FLOPS at which the job's utilisation gives this machine's speed, or its own
   * peak where nothing else is known; null when neither is.
   */
  public @Nullable Double flops(Machine machine) {
    SpeedEstimate estimate = estimate(machine);
    return estimate == null || flopPerSample == 0
        ? machine.flops(job.precision())
        : Double.valueOf(estimate.samplesPerSecond() * flopPerSample / utilisation());
  }

  private double utilisation() {
    return job.work() == null ? 1 : job.work().utilisation();
  }

  /** Returns samples per second of a machine, or null when only its datasheet is known. */
  public @Nullable SpeedEstimate estimate(Machine machine) {
    Gpus gpus = machine.gpus();
    if (gpus == null || machine.statedFlops() != null || (model == null && measured.isEmpty())) {
      return null;
    }
    return byMachine
        .computeIfAbsent(
            measured.containsKey(machine.name())
                ? machine.name()
                : gpus.count() + " x " + gpus.model().name(),
            name -> Optional.ofNullable(ask(machine, gpus)))
        .orElse(null);
  }

  private @Nullable SpeedEstimate ask(Machine machine, Gpus gpus) {
    Double whole = measured.get(machine.name());
    if (whole != null) {
      return new SpeedEstimate(whole, whole, whole, SpeedBasis.MEASURED, List.of());
    }
    if (model == null) {
      return null;
    }
    // Half a GPU is half as fast as one.
    int count = (int) Math.max(1, Math.floor(gpus.count()));
    SpeedEstimate estimate = answer(model, gpus.model(), count);
    if (estimate == null || estimate.basis() == SpeedBasis.FLOPS) {
      return null;
    }
    boolean sameNumber = estimate.rows().stream().anyMatch(row -> row.gpus() == count);
    SpeedEstimate one = sameNumber ? null : answer(model, gpus.model(), 1);
    // What many GPUs lose follows from the model's size where machines like this were not measured.
    return one == null || count == 1
        ? estimate.times(gpus.count() / count)
        : one.scaled(JobScaling.timesOneGpu(job, machine, one.samplesPerSecond()), GPUS_SPREAD);
  }

  private @Nullable SpeedEstimate answer(MeasuredSpeedModel from, Gpu gpu, int count) {
    return from.answer(
        new SpeedQuestion(shape, gpu, count, job.precision(), job.profiles().batch()));
  }

  /** Returns what a machine's speed stands on, or null for its datasheet. */
  public @Nullable String describe(Machine machine) {
    SpeedEstimate estimate = estimate(machine);
    if (estimate == null) {
      return null;
    }
    if (estimate.rows().isEmpty()) {
      return "One %s trains %s samples/s, as the job measured."
          .formatted(machine.name(), Numbers.print(estimate.samplesPerSecond()));
    }
    MeasuredSpeed first = estimate.rows().get(0);
    return "One %s trains %s samples/s (%s to %s; %s, from %s on %d x %s, %s)."
        .formatted(
            machine.name(),
            Numbers.print(estimate.samplesPerSecond()),
            Numbers.print(estimate.low()),
            Numbers.print(estimate.high()),
            estimate.basis(),
            first.model(),
            first.gpus(),
            first.gpu().name(),
            first.source().equals(OwnSpeeds.SOURCE) ? "as the job measured" : first.source());
  }
}

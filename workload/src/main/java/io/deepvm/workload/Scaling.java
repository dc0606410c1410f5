package io.deepvm.workload;

import io.deepvm.catalog.Machine;
import io.deepvm.catalog.SpeedupCurve;
import java.util.Map;

/**
 * The scaling curves of one job: by instance type, by GPU name, else the one the catalog carries,
 * else the assumption that stands for everything not measured.
 */
public record Scaling(Map<String, ScalingCurve> measured, ScalingCurve assumed) {

  /** What holds without a measurement: 2 % of a step is not shortened by more nodes. */
  public static final ScalingCurve ASSUMED = new ScalingCurve.Amdahl(0.02);

  /** No measurements at all. */
  public static final Scaling UNMEASURED = new Scaling(Map.of(), ASSUMED);

  public Scaling {
    measured = Map.copyOf(measured);
  }

  /** Returns the curve for clusters of this machine. */
  public ScalingCurve of(Machine machine) {
    ScalingCurve curve = measured.get(machine.name());
    if (curve == null && machine.gpus() != null) {
      curve = measured.get(machine.gpus().model().name());
    }
    if (curve == null && machine.speedup() != null) {
      SpeedupCurve carried = machine.speedup();
      curve = new ScalingCurve.Logistic(carried.a(), carried.b(), carried.c());
    }
    return curve == null ? assumed : curve;
  }
}

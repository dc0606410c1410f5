package io.deepvm.workload.speed;

import java.util.Locale;

/** What a speed stands on, the best first. */
public enum SpeedBasis {
  /** A measurement of this model on this GPU. */
  MEASURED,
  /** Measurements of this model on other GPUs, or of like models, scaled. */
  RELATIVE,
  /** Peak FLOPS and a usual share of them. */
  FLOPS;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

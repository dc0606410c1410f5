package io.deepvm.workload.speed;

import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Precision;
import org.jspecify.annotations.Nullable;

/**
 * A GPU at the precision that it really trains in, by what decides its speed.
 *
 * @param logPeak logarithm of its dense peak in FLOPS
 * @param logBandwidth logarithm of its memory bandwidth in bytes per second
 */
record Device(String gpu, Precision precision, double logPeak, double logBandwidth) {

  /** How far devices may be apart in the logarithm of a datasheet figure and still behave alike. */
  private static final double ALIKE = 0.7;

  private static final double ALIKE_KIND = 0.5;

  /** The part of its behaviour that a device shares with no other. */
  private static final double OWN = 0.5;

  /** Returns the device, or null when its peak or bandwidth is not known. */
  static @Nullable Device of(Gpu gpu, Precision asked) {
    Precision precision = effective(gpu, asked);
    Double peak = gpu.peaks().get(precision);
    Double bandwidth = gpu.memoryBytesPerSecond();
    return peak == null || bandwidth == null
        ? null
        : new Device(gpu.name(), precision, Math.log(peak), Math.log(bandwidth));
  }

  /** A GPU without units for a precision trains in the next one that it has. */
  private static Precision effective(Gpu gpu, Precision asked) {
    return switch (asked) {
      case FP32 -> Precision.FP32;
      case TF32 -> gpu.has(Precision.TF32) ? Precision.TF32 : Precision.FP32;
      case FP8 -> gpu.has(Precision.FP8) ? Precision.FP8 : effective(gpu, Precision.FP16);
      case FP16, BF16 -> gpu.has(Precision.FP16) ? Precision.FP16 : Precision.FP32;
    };
  }

  /** Returns the inputs' width, which decides whether two speeds are of one kind of training. */
  int bits() {
    return switch (precision) {
      case FP32, TF32 -> 32;
      case FP16, BF16 -> 16;
      case FP8 -> 8;
    };
  }

  /** Returns whether it computes without tensor cores. */
  boolean isPlain() {
    return precision == Precision.FP32;
  }

  /** Returns how alike two devices behave: 1 for the same, towards 0 for strangers. */
  double likeness(Device other) {
    double peak = (logPeak - other.logPeak) / ALIKE;
    double bandwidth = (logBandwidth - other.logBandwidth) / ALIKE;
    double kind = (kind() - other.kind()) / ALIKE_KIND;
    double shared = Math.exp(-(peak * peak + bandwidth * bandwidth + kind * kind) / 2);
    return (1 - OWN) * shared + (gpu.equals(other.gpu) && precision == other.precision ? OWN : 0);
  }

  private double kind() {
    return switch (precision) {
      case FP32 -> 0;
      case TF32 -> 0.5;
      case FP16, BF16 -> 1;
      case FP8 -> 2;
    };
  }
}

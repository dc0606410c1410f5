package io.deepvm.planner;

import io.deepvm.base.Money;
import org.jspecify.annotations.Nullable;

/**
 * What a plan is expected to do.
 *
 * @param speedup times as fast as one of its (first) workers
 * @param flops dense peak of one worker times the speed-up, in the catalog's unit; null where the
 *     model speaks of samples only
 * @param samplesPerSecond null where neither a measurement nor the job's work shows it
 * @param granularity seconds of calculating per second of communicating; null where the model knows
 *     no such thing, or nothing is communicated
 * @param trafficPerHour what sending data between places costs; part of the plan's price
 * @param seconds until the work is done; null when the job does not state its work
 * @param cost of all those seconds; null likewise
 */
public record Prediction(
    double speedup,
    @Nullable Double flops,
    @Nullable Double samplesPerSecond,
    @Nullable Double granularity,
    Money trafficPerHour,
    @Nullable Double seconds,
    @Nullable Money cost) {

  /** A cluster in one place whose speed is known in FLOPS alone. */
  public Prediction(double speedup, double flops, @Nullable Double seconds, @Nullable Money cost) {
    this(speedup, flops, null, null, Money.ZERO, seconds, cost);
  }
}

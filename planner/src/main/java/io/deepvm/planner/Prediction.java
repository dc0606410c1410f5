package io.deepvm.planner;

import io.deepvm.units.Money;
import org.jspecify.annotations.Nullable;

/**
 * What a plan is expected to do.
 *
 * @param speedup times as fast as one of its (first) workers
 * @param flops dense peak of one worker times the speed-up, in the catalog's unit
 * @param seconds until the work is done; null when the job does not state its work
 * @param cost of all those seconds; null likewise
 */
public record Prediction(
    double speedup, double flops, @Nullable Double seconds, @Nullable Money cost) {}

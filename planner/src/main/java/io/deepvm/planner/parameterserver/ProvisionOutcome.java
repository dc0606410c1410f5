package io.deepvm.planner.parameterserver;

import org.jspecify.annotations.Nullable;

/**
 * What a search found.
 *
 * @param best the cheapest it knows; null when none meets the goal
 * @param considered clusters, or parts of clusters, that were weighed
 * @param gap how much cheaper the true optimum may be, relative; 0 when proven, NaN for a heuristic
 */
public record ProvisionOutcome(@Nullable Provision best, long considered, double gap) {}

package io.deepvm.planner.averaging;

import io.deepvm.planner.Planning.Infeasible;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a search for peers found.
 *
 * @param plans best first, each in other places than those before it
 * @param considered how many clusters were weighed
 * @param leftOut offers that could not be considered, counted by reason
 * @param infeasible why there is no plan; null when there is one
 */
public record AveragingPlanning(
    List<AveragingPlan> plans,
    long considered,
    Map<String, Integer> leftOut,
    @Nullable Infeasible infeasible) {}

package io.deepvm.planner.parameterserver;

import io.deepvm.planner.Planning.Infeasible;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything one planning for parameter servers produced.
 *
 * @param plans the best of each place, cheapest first
 * @param leftOut offers that could not be considered, counted by reason
 * @param infeasible why there is no plan; null when there is one
 */
public record ParameterServerPlanning(
    List<ParameterServerPlan> plans,
    Map<String, Integer> leftOut,
    @Nullable Infeasible infeasible) {

  public ParameterServerPlanning {
    plans = List.copyOf(plans);
  }
}

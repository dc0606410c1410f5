package io.deepvm.planner.parameterserver;

import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.planner.Goal;
import io.deepvm.workload.parameterserver.LossGoal;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What to plan for.
 *
 * @param deadlineSeconds infinite when there is none
 * @param maxPricePerHour of workers and billed servers together; {@link Goal#NO_CEILING} when there
 *     is none
 * @param overheadSeconds lost to a revocation before training goes on
 * @param startUpSeconds from renting to training
 * @param markets on which workers are rented; servers are always on demand
 * @param places where to look; empty for everywhere
 * @param serverType the servers' instance type; null lets the planner choose
 * @param mostServers how many servers may share the parameters
 * @param billServers whether the servers are on the bill
 * @param running nodes that already train, by instance type; all stand in one place, and those
 *     without a GPU are the servers
 */
public record ParameterServerGoal(
    LossGoal loss,
    double deadlineSeconds,
    Money maxPricePerHour,
    double overheadSeconds,
    double startUpSeconds,
    Set<Market> markets,
    List<PlaceFilter> places,
    @Nullable String serverType,
    int mostServers,
    boolean billServers,
    Map<String, Integer> running) {

  /** Whether the seconds lost to a revocation are paid for; the paper pays for training alone. */
  boolean billOverhead() {
    return billServers;
  }

  /** Returns the request for clusters within the price per hour. */
  ProvisionRequest within(ProvisionRequest request) {
    return maxPricePerHour.equals(Goal.NO_CEILING) ? request : request.within(maxPricePerHour);
  }

  public ParameterServerGoal {
    places = List.copyOf(places);
    running = Map.copyOf(running);
    markets = Set.copyOf(markets);
    if (mostServers < 1) {
      throw new BadInput(
          "%d parameter servers hold nothing.".formatted(mostServers), "Maybe allow 1 or more.");
    }
  }
}

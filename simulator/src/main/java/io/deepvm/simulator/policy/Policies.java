package io.deepvm.simulator.policy;

import io.deepvm.simulator.Future;
import io.deepvm.simulator.Policy;
import io.deepvm.simulator.Scenario;
import io.deepvm.simulator.Stage;
import io.deepvm.simulator.gang.DeadlineGuard;
import io.deepvm.simulator.gang.GangMarket;
import io.deepvm.simulator.gang.GangPolicies;
import io.deepvm.units.BadInput;
import io.deepvm.units.Suggestion;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/** The policies by name. */
public final class Policies {

  /** The policy that keeps the plan's own workers in their places. */
  public static final String PLAN = "in-place";

  /**
   * A way to rent.
   *
   * @param scenario whether members come and go or all train together
   * @param maker makes a fresh policy for a run through a future, which only those who know it see
   */
  public record Entry(
      String name,
      String description,
      Function<Stage, Scenario> scenario,
      BiFunction<Stage, Future, Policy> maker) {}

  private static final List<Entry> ALL = list();

  private static List<Entry> list() {
    List<Entry> all = new ArrayList<>();
    all.add(
        elastic(
            "on-demand",
            "All workers on demand, in the cheapest pool.",
            stage -> new OnDemandOnly()));
    all.add(
        elastic(
            "spot", "As many spot workers as there are, cheapest first.", stage -> new SpotOnly()));
    all.add(
        elastic(
            PLAN,
            "The plan's workers, each replaced where it was lost.",
            stage -> new InPlace(stage.spot(), stage.onDemand())));
    all.add(
        elastic(
            "cost-first",
            "Spot workers of the pool that is cheapest, waiting for it.",
            stage -> new CostFirst()));
    all.add(
        elastic(
            "performance-first",
            "Always all workers: what spot lacks is rented on demand.",
            stage -> new PerformanceFirst()));
    all.add(
        elastic(
            "elastic",
            "Counts over all pools and both markets, with the deadline kept.",
            stage -> new Elastic()));
    for (GangPolicies.Entry entry : GangPolicies.all()) {
      if (!entry.name().equals("on-demand")) {
        all.add(gang(entry));
      }
    }
    return List.copyOf(all);
  }

  private Policies() {}

  /** All policies, the simplest first. */
  public static List<Entry> all() {
    return ALL;
  }

  /** Returns the policy of the name. */
  public static Entry named(String name) {
    return ALL.stream()
        .filter(entry -> entry.name().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(
            () -> {
              List<String> names = ALL.stream().map(Entry::name).toList();
              return new BadInput(
                  "There is no policy '%s'.".formatted(name),
                  Suggestion.maybe(
                      name,
                      names,
                      "Maybe one of: %s, or all.".formatted(String.join(", ", names))));
            });
  }

  private static Entry elastic(String name, String description, Function<Stage, Policy> maker) {
    return new Entry(name, description, Stage::scenario, (stage, future) -> maker.apply(stage));
  }

  private static Entry gang(GangPolicies.Entry entry) {
    return new Entry(
        entry.name(),
        entry.description(),
        Stage::gang,
        (stage, future) -> driven(entry, stage.gang(), future));
  }

  /** Returns a gang policy at the wheel of a scenario's cluster, for a run through a future. */
  public static Policy driven(GangPolicies.Entry entry, Scenario gang, Future future) {
    GangMarket market =
        GangMarket.of(future.market(), gang.workers(), gang.egressUsdPerGb())
            .window(future.firstTick(), future.market().ticks() - future.firstTick());
    return new GangDriver(new DeadlineGuard(entry.make(market)), future.market().pools());
  }
}

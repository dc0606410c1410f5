package io.deepvm.simulator.policy;

import io.deepvm.simulator.Policy;
import io.deepvm.simulator.Scenario;
import io.deepvm.simulator.Stage;
import io.deepvm.units.BadInput;
import io.deepvm.units.Suggestion;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** The policies by name. */
public final class Policies {

  /** The policy that keeps the plan's own workers in their places. */
  public static final String PLAN = "in-place";

  /**
   * A way to rent.
   *
   * @param scenario whether members come and go or all train together
   * @param maker returns what makes a fresh policy for each run
   */
  public record Entry(
      String name,
      String description,
      Function<Stage, Scenario> scenario,
      Function<Stage, Supplier<Policy>> maker) {}

  private static final List<Entry> ALL =
      List.of(
          elastic(
              "on-demand",
              "All workers on demand, in the cheapest pool.",
              stage -> OnDemandOnly::new),
          elastic(
              "spot", "As many spot workers as there are, cheapest first.", stage -> SpotOnly::new),
          elastic(
              PLAN,
              "The plan's spot workers, each replaced where it was lost.",
              stage -> () -> new InPlace(stage.planned())),
          elastic(
              "cost-first",
              "Spot workers of the pool that is cheapest, waiting for it.",
              stage -> CostFirst::new),
          elastic(
              "performance-first",
              "Always all workers: what spot lacks is rented on demand.",
              stage -> PerformanceFirst::new));

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

  private static Entry elastic(
      String name, String description, Function<Stage, Supplier<Policy>> maker) {
    return new Entry(name, description, Stage::scenario, maker);
  }
}

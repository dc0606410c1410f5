package io.deepvm.simulator.policy;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import io.deepvm.simulator.Future;
import io.deepvm.simulator.Policy;
import io.deepvm.simulator.Scenario;
import io.deepvm.simulator.Stage;
import io.deepvm.simulator.gang.DeadlineGuard;
import io.deepvm.simulator.gang.GangMarket;
import io.deepvm.simulator.gang.GangPolicies;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The policies by name. */
public final class Policies {

  /** The policy that keeps the plan's own workers in their places. */
  public static final String PLAN = "in-place";

  /** Names the policies of {@link #usual()}. */
  public static final String USUAL = "all";

  /** Names the policies of {@link #all()}. */
  public static final String PAPERS = "all-papers";

  private static final List<String> USUAL_NAMES =
      List.of("on-demand", "spot", PLAN, "performance-first", "elastic");

  /**
   * A way to rent.
   *
   * @param scenario whether members come and go or all train together
   * @param deadline the seconds by which it tries to be done; infinite when it has all the time
   * @param maker makes a fresh policy for a run through a future, which only those who know it see
   */
  public record Entry(
      String name,
      String description,
      Function<Stage, Scenario> scenario,
      ToDoubleFunction<Scenario> deadline,
      BiFunction<Stage, Future, Policy> maker) {

    /**
     * Returns the deadline in seconds that the policy keeps although none was given; null where one
     * was given, and where the policy needs none.
     */
    public @Nullable Double assumedDeadline(Stage stage) {
      double kept = deadline.applyAsDouble(scenario.apply(stage));
      boolean given = Double.isFinite(stage.scenario().deadlineSeconds());
      return given || Double.isInfinite(kept) ? null : kept;
    }
  }

  private static final List<Entry> ALL = list();

  private static List<Entry> list() {
    List<Entry> all = new ArrayList<>();
    all.add(
        elastic(
            "on-demand",
            "All workers on demand, in the cheapest place.",
            stage -> new OnDemandOnly()));
    all.add(
        elastic(
            "spot",
            "Spot workers only, in the cheapest places that have any.",
            stage -> new SpotOnly()));
    all.add(
        elastic(
            PLAN,
            "The plan as it is: each lost spot worker is replaced where it was lost.",
            stage -> new InPlace(stage.spot(), stage.onDemand())));
    all.add(
        elastic(
            "performance-first",
            "Always all workers: on demand what spot lacks.",
            stage -> new PerformanceFirst()));
    all.add(
        elastic(
            "elastic",
            "Spot workers wherever they are cheapest, on demand as many as the deadline needs.",
            stage -> new Elastic()));
    all.add(
        elastic(
            "cost-first",
            "Spot workers in the cheapest place only, waiting for it.",
            stage -> new CostFirst()));
    for (GangPolicies.Entry entry : GangPolicies.all()) {
      if (!entry.name().equals("on-demand")) {
        all.add(gang(entry));
      }
    }
    return List.copyOf(all);
  }

  private Policies() {}

  /** Returns all policies, the papers' variants included, the simplest first. */
  public static List<Entry> all() {
    return ALL;
  }

  /** Returns the few policies that matter to most users, the simplest first. */
  public static List<Entry> usual() {
    return USUAL_NAMES.stream().map(Policies::named).toList();
  }

  /** Returns the policies that a name stands for: one, or a group of them. */
  public static List<Entry> chosen(String name) {
    return switch (name) {
      case USUAL -> usual();
      case PAPERS -> all();
      default -> List.of(find(name, List.of(USUAL, PAPERS)));
    };
  }

  /** Returns the policy of the name. */
  public static Entry named(String name) {
    return find(name, List.of());
  }

  private static Entry find(String name, List<String> groups) {
    return ALL.stream()
        .filter(entry -> entry.name().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(
            () -> {
              List<String> names = new ArrayList<>(groups);
              ALL.forEach(entry -> names.add(entry.name()));
              return new BadInput(
                  "There is no policy '%s'.".formatted(name),
                  Suggestion.maybe(
                      name, names, "Maybe one of: %s.".formatted(String.join(", ", names))));
            });
  }

  private static Entry elastic(String name, String description, Function<Stage, Policy> maker) {
    return new Entry(
        name,
        description,
        Stage::scenario,
        Scenario::deadlineSeconds,
        (stage, future) -> maker.apply(stage));
  }

  private static Entry gang(GangPolicies.Entry entry) {
    return new Entry(
        entry.name(),
        entry.description(),
        Stage::gang,
        GangDriver::deadlineSeconds,
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

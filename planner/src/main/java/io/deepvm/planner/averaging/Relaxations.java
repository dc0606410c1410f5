package io.deepvm.planner.averaging;

import io.deepvm.base.Money;
import io.deepvm.planner.Hint;
import io.deepvm.planner.Planning.Infeasible;
import io.deepvm.planner.Setting;
import io.deepvm.planner.averaging.AveragingPlanner.Weighed;
import io.deepvm.workload.averaging.AveragingModel;
import io.deepvm.workload.averaging.Forecast;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Why no peers meet a goal: each of its limits is lifted in turn, to see how far it is off. */
final class Relaxations {

  private static final Money MICRO = new Money(1);

  private final AveragingModel model;
  private final AveragingGoal goal;
  private final PeerStock stock;

  Relaxations(AveragingModel model, AveragingGoal goal, PeerStock stock) {
    this.model = model;
    this.goal = goal;
    this.stock = stock;
  }

  /** Returns the cheapest cluster per hour that is found to do the rest, or null. */
  @Nullable Weighed leastPerHour() {
    return best(goal.forTheLeastPricePerHour());
  }

  /**
   * Returns the reason and, limit by limit, what would do while the others hold.
   *
   * @param leastPerHour what the method of that name returns
   */
  Infeasible explain(@Nullable Weighed leastPerHour) {
    List<Hint> relax = new ArrayList<>();
    Money budget = budget(leastPerHour);
    if (budget != null) {
      relax.add(
          Hint.raise(
              Setting.MAX_PRICE_PER_HOUR, Objects.requireNonNull(goal.maxPricePerHour()), budget));
    }
    Double most = goal.maxDollarsPerMillion();
    Forecast cheapest = most == null ? null : forecast(best(goal.forTheLeastCost()));
    if (most != null && cheapest != null) {
      relax.add(by(Setting.MAX_COST, cheapest.dollarsPerMillion() / most));
    }
    Double least = goal.minSamplesPerSecond();
    Forecast fastest = least == null ? null : forecast(best(goal.forTheMostSpeed()));
    if (least != null && fastest != null) {
      relax.add(by(Setting.DEADLINE, least / fastest.samplesPerSecond()));
    }
    if (relax.isEmpty()) {
      relax.add(new Hint.Advice("allow more places, or a larger targetBatch in the job"));
    }
    return new Infeasible(reason(fastest), relax, budget);
  }

  private String reason(@Nullable Forecast fastest) {
    Double least = goal.minSamplesPerSecond();
    Double most = goal.maxDollarsPerMillion();
    if (least != null && most == null && fastest != null) {
      return String.format(
          Locale.ROOT,
          "The fastest cluster found trains %.1f samples/s, less than the %.1f asked for.",
          fastest.samplesPerSecond(),
          least);
    }
    List<String> limits = new ArrayList<>();
    if (goal.maxPricePerHour() != null) {
      limits.add("costs at most %s/h".formatted(goal.maxPricePerHour()));
    }
    if (most != null) {
      limits.add(String.format(Locale.ROOT, "costs at most $%.3f for a million samples", most));
    }
    if (least != null) {
      limits.add(String.format(Locale.ROOT, "trains at least %.1f samples/s", least));
    }
    return limits.size() == 1 && goal.maxPricePerHour() != null
        ? "Not even one peer %s.".formatted(limits.get(0))
        : "No cluster was found that %s.".formatted(String.join(" and ", limits));
  }

  /** The budget that the cheapest cluster needs; null where there is none or no ceiling. */
  private @Nullable Money budget(@Nullable Weighed leastPerHour) {
    Forecast forecast = goal.maxPricePerHour() == null ? null : forecast(leastPerHour);
    if (forecast == null) {
      return null;
    }
    // Traffic is rounded to the micro-dollar, down as well.
    Money price = forecast.pricePerHour();
    return forecast.egressPerHour().isPositive() ? price.plus(MICRO) : price;
  }

  private @Nullable Weighed best(AveragingGoal relaxed) {
    List<Weighed> found = AveragingPlanner.search(stock, new Judge(model, relaxed, stock));
    return found.isEmpty() || !Judge.feasible(found.get(0).merit()) ? null : found.get(0);
  }

  private @Nullable Forecast forecast(@Nullable Weighed found) {
    return found == null
        ? null
        : model.forecast(found.cluster().groups(), goal.largestTargetBatch());
  }

  /** Returns the hint to raise a limit to a multiple of it, rounded up to a thousandth. */
  private static Hint by(Setting setting, double times) {
    double percent = Math.ceil((times - 1) * 1000) / 10;
    return new Hint.Change("raise", setting, String.format(Locale.ROOT, "by %.1f %%", percent));
  }
}

package io.deepvm.planner;

import io.deepvm.base.DataSize;
import io.deepvm.base.Durations;
import io.deepvm.base.Money;
import io.deepvm.catalog.Market;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Says why no cluster meets a goal: each limit is lifted in turn, to see how far it is off. */
final class Misfit {

  private final Goal goal;
  private final Search search;
  private final Scorer scorer;
  private final List<Architecture> architectures;
  private final List<String> reasons = new ArrayList<>();
  private final List<Hint> relax = new ArrayList<>();
  private @Nullable Money smallestBudget;

  Misfit(Goal goal, Search search, Scorer scorer, List<Architecture> architectures) {
    this.goal = goal;
    this.search = search;
    this.scorer = scorer;
    this.architectures = architectures;
  }

  /** Returns the reasons, and what would have to give by how much. */
  Planning.Infeasible explain() {
    liftPricePerHour();
    liftDeadline();
    liftCost();
    if (reasons.isEmpty() && goal.deadline() != null && goal.maxCost() != null) {
      liftDeadlineAndCost();
    }
    lookAtTheStock();
    String within = goal.limits().pricePerHour() == null ? "" : " within %s/h".formatted(ceiling());
    return new Planning.Infeasible(
        "No cluster%s meets the goal: %s.".formatted(within, String.join("; ", reasons)),
        relax,
        smallestBudget);
  }

  private void liftPricePerHour() {
    Cluster cheapest = search.cheapestBetterThan(Double.NEGATIVE_INFINITY, architectures, scorer);
    if (cheapest != null && cheapest.price() > ceiling().micros()) {
      smallestBudget = new Money(cheapest.price());
      reasons.add(
          "the cheapest cluster that does (%s in %s) costs %s/h"
              .formatted(
                  Explainer.describe(cheapest.nodes(search.needs())),
                  cheapest.worker().listing().place(),
                  smallestBudget));
      relax.add(Hint.raise(Setting.MAX_PRICE_PER_HOUR, ceiling(), smallestBudget));
    }
  }

  private void liftDeadline() {
    if (goal.deadline() == null) {
      return;
    }
    Scorer relaxed = scorer.withoutDeadline().optimising(Objective.TIME);
    Cluster fastest = best(relaxed);
    if (fastest != null) {
      String time = Durations.printEnough(relaxed.seconds(fastest.speed()));
      reasons.add("the fastest%s takes %s".formatted(withinTheBudget(), time));
      relax.add(Hint.raise(Setting.DEADLINE, Durations.print(goal.deadline()), time));
    }
  }

  private void liftCost() {
    if (goal.maxCost() == null) {
      return;
    }
    Scorer relaxed = scorer.withoutMaxCost().optimising(Objective.COST);
    Cluster cheapest = best(relaxed);
    if (cheapest != null) {
      Money cost = cost(relaxed, cheapest);
      reasons.add("the least total cost%s is %s".formatted(withinTheBudget(), cost));
      relax.add(Hint.raise(Setting.MAX_COST, goal.maxCost(), cost));
    }
  }

  /** Each of the two limits alone rules out every cluster. */
  private void liftDeadlineAndCost() {
    Scorer relaxed = scorer.withoutDeadline().withoutMaxCost().optimising(Objective.COST);
    Cluster cheapest = best(relaxed);
    if (cheapest != null && goal.deadline() != null) {
      Money cost = cost(relaxed, cheapest);
      String time = Durations.printEnough(relaxed.seconds(cheapest.speed()));
      reasons.add("the least total cost%s is %s, in %s".formatted(withinTheBudget(), cost, time));
      relax.add(
          new Hint.Both(
              Hint.raise(Setting.MAX_COST, Objects.requireNonNull(goal.maxCost()), cost),
              Hint.raise(Setting.DEADLINE, Durations.print(goal.deadline()), time)));
    }
  }

  private void lookAtTheStock() {
    Stock stock = search.stock();
    DataSize largest = stock.mostMemoryTooSmall();
    if (stock.workers().isEmpty() && largest.bytes() > 0) {
      if (stock.leftOut().containsKey(Stock.DOES_NOT_FIT)) {
        reasons.add(
            "no GPU offered there has more than %s, and the model does not fit, however it is split"
                .formatted(largest));
        relax.add(
            new Hint.Advice(
                "lower batch or training.activations, or state gpuMemory if it needs less"));
      } else {
        reasons.add("no GPU offered there has more than %s".formatted(largest));
        relax.add(
            new Hint.Advice(
                "lower the GPU memory that one replica needs to %s".formatted(largest)));
      }
    }
    Integer noSpot = stock.leftOut().get(Stock.NO_SPOT_OFFER);
    boolean spotOnly = !goal.offers().markets().contains(Market.ON_DEMAND);
    if (stock.workers().isEmpty() && noSpot != null && spotOnly) {
      reasons.add("no GPU machine there is offered on the spot market");
      relax.add(
          new Hint.Change(
              "add", Setting.MARKET, "on-demand, which has %d GPU offers there".formatted(noSpot)));
    }
    if (reasons.isEmpty()) {
      reasons.add("nothing in the catalog can be used for it");
      stock.leftOut().forEach((reason, count) -> relax.add(new Hint.LeftOut(reason, count)));
    }
  }

  private Money ceiling() {
    return goal.maxPricePerHour();
  }

  private @Nullable Cluster best(Scorer relaxed) {
    return search.best(architectures, relaxed, ceiling().micros());
  }

  private String withinTheBudget() {
    return goal.limits().pricePerHour() == null ? "" : " within the budget";
  }

  private static Money cost(Scorer relaxed, Cluster cluster) {
    return new Money((long) Math.ceil(relaxed.score(cluster.merit()) * 1e6));
  }
}

package io.deepvm.cli.print;

import io.deepvm.base.Durations;
import io.deepvm.base.Numbers;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.planner.Goal;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Planning;
import io.deepvm.planner.RankedOffer;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The four stages in order, for people who ask why. */
public final class Explanation {

  private static final int OFFERS_SHOWN = 10;
  private static final int FRONT_SHOWN = 10;
  private static final String INDENT = "   ";

  private final PrintWriter out;
  private final Paint paint;

  public Explanation(PrintWriter out, Paint paint) {
    this.out = out;
    this.paint = paint;
  }

  /** Prints all stages of a planning, whether or not it found something. */
  public void print(Planning planning, Catalog catalog) {
    heading("1. Goal");
    goal(planning.goal());
    say(PlanTable.prices(catalog));
    heading("2. Worker offers by FLOPP, the best %d".formatted(OFFERS_SHOWN));
    ranking(planning);
    heading("3. The best cluster of each architecture");
    planning.stages().forEach(this::stage);
    heading("4. Choice");
    choice(planning);
  }

  private void goal(Goal goal) {
    say(
        "%s, objective %s, %s workers"
            .formatted(
                goal.limits().pricePerHour() == null
                    ? "no ceiling per hour"
                    : "at most %s/h".formatted(goal.limits().pricePerHour()),
                goal.objective(),
                Arrays.stream(Market.values())
                    .filter(goal.offers().markets()::contains)
                    .map(Market::toString)
                    .collect(Collectors.joining(" or "))));
    if (goal.deadline() != null) {
      say("done within " + Durations.print(goal.deadline()));
    }
    if (goal.maxCost() != null) {
      say("at most %s in all".formatted(goal.maxCost()));
    }
    say(
        "checkpoint of %s, %s kept on the anchors (%s of it each), there within %s"
            .formatted(
                goal.checkpoint(),
                Numbers.print(goal.checkpoints().anchorSlots()),
                goal.checkpoints().anchorMemory(),
                Durations.print(goal.checkpoints().interval())));
    say(
        "places: "
            + (goal.places().isEmpty()
                ? "anywhere"
                : goal.places().stream()
                    .map(PlaceFilter::toString)
                    .collect(Collectors.joining(", "))));
    if (goal.lastWorker().leastGain() > 0) {
      say(
          "stop buying when a worker adds less than %s %%"
              .formatted(Numbers.print(goal.lastWorker().leastGain() * 100)));
    }
    if (goal.lastWorker().leastGainPerPrice() > 0) {
      say(
          "the last worker must be worth its price: %s %% of speed for each 1 %% of price"
              .formatted(Numbers.print(goal.lastWorker().leastGainPerPrice())));
    }
  }

  private void ranking(Planning planning) {
    Table table = new Table("#>", "OFFER", "PLACE", "GPU", "PRICE/H>", "SPEED>", "FLOPP>");
    int rank = 0;
    for (RankedOffer ranked : planning.ranking()) {
      rank++;
      if (rank > OFFERS_SHOWN) {
        break;
      }
      var machine = ranked.offer().machine();
      boolean stated = machine.statedFlops() != null;
      table.row(
          String.valueOf(rank),
          machine.name() + " " + ranked.offer().market(),
          ranked.offer().place().toString(),
          machine.gpus() == null ? "-" : Clusters.gpus(machine.gpus()),
          ranked.offer().pricePerHour().toString(),
          Figures.flops(ranked.flops(), stated),
          Figures.flopp(ranked.flopp(), stated));
    }
    if (planning.ranking().isEmpty()) {
      say("none ranked");
    } else {
      table.print(out, paint, INDENT);
    }
    planning.leftOut().entrySet().stream()
        .sorted(
            Comparator.comparing((Map.Entry<String, Integer> e) -> -e.getValue())
                .thenComparing(Map.Entry::getKey))
        .forEach(e -> say("left out %s: %s".formatted(Figures.count(e.getValue()), e.getKey())));
  }

  private void stage(Planning.Stage stage) {
    Plan best = stage.best();
    say(
        "%s, %s clusters weighed: %s"
            .formatted(
                stage.architecture(),
                Figures.count(stage.considered()),
                best == null
                    ? "none fits"
                    : "%s, score %s%s"
                        .formatted(
                            Clusters.nodes(best) + ", " + Clusters.promise(best),
                            Figures.score(best),
                            proof(best))));
  }

  private static String proof(Plan plan) {
    return plan.gap() == 0
        ? " (proven best)"
        : " (the best is at most %s %% away)".formatted(Numbers.print(plan.gap() * 100));
  }

  private void choice(Planning planning) {
    if (planning.infeasible() != null) {
      say(planning.infeasible().reason());
      return;
    }
    PlanTable table = new PlanTable(out, paint);
    table.plans(planning.plans(), INDENT, Map.of());
    int rank = 0;
    for (Plan plan : planning.plans()) {
      rank++;
      if (!plan.why().isEmpty()) {
        out.println();
        say("%d. %s".formatted(rank, Clusters.nodes(plan)));
        plan.why().forEach(reason -> say("   - " + reason));
      }
    }
    if (!planning.paretoFront().isEmpty()) {
      out.println();
      say("Pareto front: nothing is both cheaper per hour and faster than one of these");
      table.plans(thinned(planning.paretoFront()), INDENT, Map.of());
      int hidden = planning.paretoFront().size() - FRONT_SHOWN;
      if (hidden > 0) {
        say("... and %s between them; --output json has all".formatted(Figures.count(hidden)));
      }
    }
  }

  /** Returns a few plans spread over the front, the cheapest and the fastest among them. */
  private static List<Plan> thinned(List<Plan> front) {
    if (front.size() <= FRONT_SHOWN) {
      return front;
    }
    return IntStream.range(0, FRONT_SHOWN)
        .mapToObj(i -> front.get(i * (front.size() - 1) / (FRONT_SHOWN - 1)))
        .toList();
  }

  private void heading(String text) {
    if (!text.startsWith("1")) {
      out.println();
    }
    out.println(paint.strong(text));
  }

  private void say(String line) {
    out.println(INDENT + line);
  }
}

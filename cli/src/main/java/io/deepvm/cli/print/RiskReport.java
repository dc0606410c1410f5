package io.deepvm.cli.print;

import io.deepvm.catalog.Offer;
import io.deepvm.planner.Goal;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Role;
import io.deepvm.simulator.Sample;
import io.deepvm.units.Durations;
import io.deepvm.units.Money;
import io.deepvm.units.Numbers;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Plans ranked by what they come to on a spot market. */
public final class RiskReport {

  /**
   * A plan and its runs.
   *
   * @param quantileUsd what the asked share of runs does not exceed
   * @param holds whether that share meets the deadline and the cost
   */
  public record Candidate(Plan plan, Sample sample, double quantileUsd, boolean holds) {}

  /** One more node that stays, and what the runs come to with it. */
  public record ExtraNode(Offer offer, Sample sample) {}

  private final PrintWriter out;
  private final Goal goal;
  private final double confidence;
  private final List<Candidate> candidates;
  private final Plan onPaper;
  private final @Nullable ExtraNode extra;

  /**
   * Reports candidates, the best first.
   *
   * @param onPaper the plan that would be chosen without the market
   */
  public RiskReport(
      PrintWriter out,
      Goal goal,
      double confidence,
      List<Candidate> candidates,
      Plan onPaper,
      @Nullable ExtraNode extra) {
    this.out = out;
    this.goal = goal;
    this.confidence = confidence;
    this.candidates = candidates;
    this.onPaper = onPaper;
    this.extra = extra;
  }

  /** Prints for people: the choice, the first few in a table, and why. */
  public void table(Paint paint, int top) {
    Candidate best = candidates.get(0);
    out.println(paint.strong(Clusters.nodes(best.plan()) + ": " + promise(best) + "."));
    out.println();
    Table table =
        new Table(
            "#>",
            "ARCHITECTURE",
            "WORKERS",
            "PLACE",
            "ON PAPER>",
            "MEAN>",
            quantile() + ">",
            "TIME " + quantile() + ">",
            "MISSED>",
            "");
    int rank = 0;
    for (Candidate candidate : candidates.subList(0, Math.min(top, candidates.size()))) {
      Plan plan = candidate.plan();
      Money cost = plan.predicted().cost();
      table.row(
          String.valueOf(++rank),
          plan.architecture(),
          Clusters.groups(plan, Role.WORKER),
          Clusters.placeNames(plan),
          cost == null ? "-" : Figures.dollars(cost.dollars()),
          Figures.dollars(candidate.sample().cost().mean()),
          Figures.dollars(candidate.quantileUsd()),
          time(candidate.sample().makespan().at(confidence)),
          Numbers.percent(candidate.sample().missed()),
          candidate.holds() ? "" : "does not hold");
    }
    table.print(out, paint, "");
    out.println();
    out.println("Why the first:");
    why().forEach(reason -> out.println("- " + reason));
  }

  private String promise(Candidate best) {
    Sample sample = best.sample();
    return "about %s, %s on average, %s of runs under %s, %s chance of missing the deadline"
        .formatted(
            time(sample.makespan().at(0.5)),
            Figures.dollars(sample.cost().mean()),
            Numbers.percent(confidence),
            Figures.dollars(best.quantileUsd()),
            Numbers.percent(sample.missed()));
  }

  /** Why the first is first, a sentence each. */
  public List<String> why() {
    Candidate best = candidates.get(0);
    List<String> why = new ArrayList<>();
    why.add(
        "Of %d plans tried in %,d runs each it has the least %s of cost among those that hold."
            .formatted(candidates.size(), best.sample().runs(), quantile()));
    if (!onPaper.equals(best.plan())) {
      candidates.stream()
          .filter(c -> c.plan().equals(onPaper))
          .findFirst()
          .ifPresent(
              c ->
                  why.add(
                      "On paper %s would be chosen; on this market it costs %s on average, %s of runs"
                              .formatted(
                                  Clusters.nodes(onPaper),
                                  Figures.dollars(c.sample().cost().mean()),
                                  Numbers.percent(confidence))
                          + " under %s, and %s miss the deadline."
                              .formatted(
                                  Figures.dollars(c.quantileUsd()),
                                  Numbers.percent(c.sample().missed()))));
    }
    if (extra != null) {
      Sample more = extra.sample();
      why.add(
          "One more %s on demand (%s/h) would make it %s on average, %s of runs under %s, with %s missing the deadline."
              .formatted(
                  extra.offer().machine().name(),
                  extra.offer().pricePerHour(),
                  Figures.dollars(more.cost().mean()),
                  Numbers.percent(confidence),
                  Figures.dollars(more.cost().at(confidence)),
                  Numbers.percent(more.missed())));
    }
    return why;
  }

  /** Why none holds, and what would: the reason first, then ways out. */
  public List<String> infeasible() {
    Candidate nearest = candidates.get(0);
    List<String> lines = new ArrayList<>();
    Duration deadline = goal.deadline();
    lines.add(
        "None of %d plans meets %s with a probability of %s on this market; the nearest, %s, misses the deadline in %s of runs and costs up to %s."
            .formatted(
                candidates.size(),
                deadline == null ? "the cost" : "the deadline of " + Durations.print(deadline),
                Numbers.percent(confidence),
                Clusters.nodes(nearest.plan()),
                Numbers.percent(nearest.sample().missed()),
                Figures.dollars(nearest.quantileUsd())));
    if (deadline != null && nearest.sample().missed() > 1 - confidence) {
      lines.add(
          "Maybe raise --deadline to %s, or lower --confidence to %s."
              .formatted(
                  time(nearest.sample().makespan().at(confidence)),
                  Numbers.print(Math.floor((1 - nearest.sample().missed()) * 100) / 100)));
    }
    Money most = goal.maxCost();
    if (most != null && nearest.quantileUsd() > most.dollars()) {
      lines.add("Maybe raise --max-cost to %s.".formatted(Figures.dollars(nearest.quantileUsd())));
    }
    return lines;
  }

  /** Writes what a plan's runs came to, under the key "simulated". */
  static void json(Json json, Candidate candidate) throws IOException {
    Sample sample = candidate.sample();
    json.object(
        "simulated",
        s -> {
          s.put("runs", sample.runs());
          s.put("holds", candidate.holds());
          s.put("meanUsd", sample.cost().mean());
          s.put("p95Usd", sample.cost().at(0.95));
          s.put("quantileUsd", candidate.quantileUsd());
          s.put("medianSeconds", sample.makespan().at(0.5));
          s.put("p95Seconds", sample.makespan().at(0.95));
          s.put("missed", sample.missed());
          s.put("unfinished", sample.unfinished());
        });
  }

  private String quantile() {
    return "P" + Numbers.print(100 * confidence);
  }

  private static String time(double seconds) {
    return Durations.print(Durations.ofSeconds(seconds));
  }
}

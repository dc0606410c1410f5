package io.deepvm.studies.deepvm;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.planner.NodeGroup;
import io.deepvm.planner.Objective;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Planner;
import io.deepvm.planner.Role;
import io.deepvm.studies.BudgetPolicy;
import io.deepvm.studies.Performance;
import io.deepvm.studies.StudyRow;
import io.deepvm.workload.Job;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The clusters that the artifact answers at its thirteen budgets, beside the true optima. */
final class PaperPlanTable {

  private static final DataSize CHECKPOINT = DataSize.ofGb(0.5);
  private static final double SLOTS = 2;

  private final Catalog paper;
  private final Published published;
  private final List<BudgetPolicy> policies;
  private final Planner planner;

  PaperPlanTable(Catalog paper, Published published) {
    this.paper = paper;
    this.published = published;
    this.policies = DeepVmPolicies.published(paper, Job.UNSTATED, CHECKPOINT, SLOTS);
    this.planner = new Planner(paper, Job.UNSTATED);
  }

  List<StudyRow> rows() {
    List<StudyRow> rows = new ArrayList<>();
    for (Published.Point point : published.points()) {
      switch (point.figure()) {
        case "plan-z" -> rows.add(artifactRow(point, "Z"));
        case "plan-price" -> rows.add(artifactRow(point, "USD/h"));
        default -> {}
      }
      if (point.figure().equals("plan-price") && point.series().equals("DeepVM 1")) {
        rows.addAll(ourRows(published.at(point, "plan-z", "DeepVM 1"), point));
      }
    }
    return rows;
  }

  /** The artifact's answer, published and as we compute it. */
  private StudyRow artifactRow(Published.Point point, String quantity) {
    Plan plan = artifactPlan(point.series(), point.budget());
    String name = "plan at %s, %s: %s".formatted(point.budget(), point.series(), quantity);
    if (plan == null) {
      return DeepVmStudy.row(name, point.value(), null, "published " + point.note());
    }
    String cluster = print(plan);
    String note =
        cluster.equals(point.note())
            ? cluster
            : "published %s; ours %s".formatted(point.note(), cluster);
    double ours = quantity.equals("Z") ? plan.score() : plan.pricePerHour().dollars();
    return DeepVmStudy.row(name, point.value(), ours, note + slip(point.series(), plan));
  }

  /** The best cluster by our planner, beside the artifact's first. */
  private List<StudyRow> ourRows(Published.Point z, Published.Point price) {
    List<Plan> plans =
        planner.plan(PaperMethod.goal(z.budget(), Objective.FLOPP, CHECKPOINT, SLOTS)).plans();
    String name = "plan at %s, our planner: ".formatted(z.budget());
    if (plans.isEmpty()) {
      return List.of(DeepVmStudy.row(name + "Z", z.value(), null, "our planner has no plan"));
    }
    Plan best = plans.get(0);
    double gain = best.score() / z.value() - 1;
    double saved = price.value() - best.pricePerHour().dollars();
    String verdict =
        gain > 1e-5
            ? String.format(
                Locale.ROOT,
                "Z %+.2f %%: the artifact's bounds leave out the last nodes",
                gain * 100)
            : saved > 1e-9
                ? String.format(
                    Locale.ROOT, "same Z, $%.4f/h less: the artifact settles ties by order", saved)
                : "the artifact's own choice";
    String note = print(best) + "; " + verdict;
    return List.of(
        DeepVmStudy.row(name + "Z", z.value(), best.score(), note),
        DeepVmStudy.row(name + "USD/h", price.value(), best.pricePerHour().dollars(), note));
  }

  private @Nullable Plan artifactPlan(String series, Money budget) {
    if (series.startsWith("DeepVM ")) {
      int rank = Integer.parseInt(series.substring("DeepVM ".length()));
      List<Plan> top =
          ArtifactPlanner.plan(
              paper, Job.UNSTATED, budget, SLOTS, CHECKPOINT.gb(), ArtifactScript.RUN);
      return rank <= top.size() ? top.get(rank - 1) : null;
    }
    return policies.stream()
        .filter(policy -> policy.name().equals(series))
        .findFirst()
        .orElseThrow()
        .choose(budget);
  }

  /** What is wrong with the original's choice, if anything. */
  private String slip(String series, Plan plan) {
    if (!series.equals("cost-first")) {
      return "";
    }
    int n = Performance.trainingNodes(plan);
    for (Listing listing : paper.listings()) {
      Money spot = listing.spot();
      Money onDemand = listing.onDemand();
      if (listing.machine().trains()
          && spot != null
          && onDemand != null
          && spot.times(n - 1).plus(onDemand).compareTo(plan.pricePerHour()) < 0) {
        return "; %d x %s would cost %s, but the first type with the most nodes wins"
            .formatted(n, listing.machine().name(), spot.times(n - 1).plus(onDemand));
      }
    }
    return "";
  }

  /** "tiering 17 x g4dn.xlarge + 1 x c5.xlarge", "single-anchor 16 x g4dn.xlarge". */
  static String print(Plan plan) {
    StringBuilder text =
        new StringBuilder(
            "%s %d x %s"
                .formatted(
                    plan.architecture(),
                    Performance.trainingNodes(plan),
                    Performance.worker(plan).name()));
    for (NodeGroup group : plan.nodes()) {
      if (group.role() == Role.ANCHOR && plan.architecture().equals("tiering")) {
        text.append(" + %d x %s".formatted(group.count(), group.offer().machine().name()));
      }
    }
    return text.toString();
  }
}

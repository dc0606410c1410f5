package io.deepvm.studies.deepvm;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.planner.Plan;
import io.deepvm.studies.BudgetPolicy;
import io.deepvm.studies.BudgetSweep;
import io.deepvm.studies.Performance;
import io.deepvm.workload.Job;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeepVmPoliciesTest {

  private static final DataSize CHECKPOINT = DataSize.ofGb(0.5);

  @Test
  void noPolicySpendsMoreThanTheBudget() {
    List<BudgetPolicy> policies = new ArrayList<>(published(PaperCatalogs.simulation()));
    policies.addAll(DeepVmPolicies.ours(PaperCatalogs.simulation(), Job.UNSTATED, CHECKPOINT, 2));
    int chosen = 0;
    for (BudgetSweep.Row row : sweep(policies).rows()) {
      if (row.choice() != null) {
        assertThat(row.choice().plan().pricePerHour()).isLessThanOrEqualTo(row.budgetPerHour());
        chosen++;
      }
    }
    assertThat(chosen).as("each of the four has an answer from $0.30 up").isGreaterThan(4 * 97);
  }

  @Test
  void performanceFirstBeatsDeepVmAtThirteenBudgetsOnceNodesAreCountedOnce() {
    List<BudgetPolicy> policies = published(PaperCatalogs.simulation());
    List<BudgetSweep.Row> performanceFirst = sweep(policies.subList(1, 2)).rows();
    List<BudgetSweep.Row> deepVm = sweep(policies.subList(3, 4)).rows();
    int beaten = 0;
    for (int i = 0; i < deepVm.size(); i++) {
      BudgetSweep.Choice theirs = performanceFirst.get(i).choice();
      BudgetSweep.Choice its = deepVm.get(i).choice();
      if (theirs != null && its != null) {
        beaten += theirs.performance().flopsNK() > its.performance().flopsNK() ? 1 : 0;
      }
    }
    assertThat(beaten).isEqualTo(13);
  }

  @Test
  void noPublishedPolicyBeatsOursAtItsOwnMeasure() {
    Catalog paper = PaperCatalogs.paper();
    List<BudgetPolicy> ours = DeepVmPolicies.ours(paper, Job.UNSTATED, CHECKPOINT, 2);
    for (BudgetSweep.Row row : sweep(published(paper)).rows()) {
      BudgetSweep.Choice theirs = row.choice();
      if (theirs != null) {
        String which = "%s at %s".formatted(row.policy(), row.budgetPerHour());
        Plan largestZ = requireNonNull(ours.get(0).choose(row.budgetPerHour()), which);
        Plan fastest = requireNonNull(ours.get(1).choose(row.budgetPerHour()), which);
        assertThat(largestZ.score()).as(which).isGreaterThanOrEqualTo(z(theirs) * (1 - 1e-12));
        assertThat(Performance.of(fastest, Job.UNSTATED).flopsSpeedup())
            .as(which)
            .isGreaterThanOrEqualTo(theirs.performance().flopsSpeedup() * (1 - 1e-12));
      }
    }
  }

  /** No Scale scores without K, so Z is taken from the performance instead. */
  private static double z(BudgetSweep.Choice choice) {
    Money spot = choice.plan().nodes().get(0).offer().pricePerHour();
    return choice.performance().flopsNK() / spot.dollars() * 3600;
  }

  private static List<BudgetPolicy> published(Catalog catalog) {
    return DeepVmPolicies.published(catalog, Job.UNSTATED, CHECKPOINT, 2);
  }

  private static BudgetSweep sweep(List<BudgetPolicy> policies) {
    return BudgetSweep.over(
        Money.ZERO, Money.parse("10"), Money.parse("0.1"), policies, Job.UNSTATED);
  }
}

package io.deepvm.studies.deepvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.planner.Plan;
import io.deepvm.workload.Job;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArtifactPlannerTest {

  private static final Catalog PAPER = PaperCatalogs.paper();

  @ParameterizedTest
  @CsvSource({
    "0.5,  tiering 2 x g4dn.xlarge + 1 x t3.xlarge,   0.482,   17201520.91254753",
    "1,    tiering 5 x g4dn.xlarge + 1 x c4.xlarge,   0.988,   43003802.28136882",
    "2.5,  tiering 14 x g4dn.xlarge + 1 x t3.xlarge,  2.3756,  120394659.9",
    "3,    tiering 17 x g4dn.xlarge + 1 x c5.xlarge,  2.8526,  145432237.32",
    "4,    tiering 23 x g4dn.xlarge + 2 x t3.xlarge,  3.9622,  187475200",
    "5,    tiering 29 x g4dn.xlarge + 2 x t3.xlarge,  4.909,   215062103.2516649",
    "8,    tiering 31 x g4dn.xlarge + 3 x c4.xlarge,  5.4888,  221370400",
    "10,   tiering 31 x g5.xlarge + 3 x c4.xlarge,    9.9528,  251904200",
    "20,   tiering 31 x g5.xlarge + 16 x c3.xlarge,  12.7158,  251904200",
  })
  void theFirstAnswerIsTheArtifacts(String budget, String cluster, double usdPerHour, double z) {
    Plan plan = plan(PAPER, budget).get(0);
    assertThat(PaperPlanTable.print(plan)).isEqualTo(cluster);
    assertThat(plan.pricePerHour().dollars()).isEqualTo(usdPerHour);
    assertThat(plan.score()).isCloseTo(z, Percentage.withPercentage(1e-4));
  }

  @Test
  void theThreeAnswersAreTheSameWorkersWithOtherAnchors() {
    assertThat(plan(PAPER, "3"))
        .extracting(PaperPlanTable::print)
        .containsExactly(
            "tiering 17 x g4dn.xlarge + 1 x c5.xlarge",
            "tiering 17 x g4dn.xlarge + 1 x m6i.xlarge",
            "tiering 17 x g4dn.xlarge + 1 x c5n.xlarge");
  }

  @Test
  void theSimulationAnswersOnceAndIgnoresQuotas() {
    List<Plan> plans =
        ArtifactPlanner.plan(
            PaperCatalogs.simulation(),
            Job.UNSTATED,
            Money.parse("10"),
            0.5,
            2,
            ArtifactScript.SIMULATION);
    assertThat(plans).extracting(PaperPlanTable::print).containsExactly("single-anchor 58 x D");
  }

  @ParameterizedTest
  @CsvSource({
    "1,  single-anchor 4 x g4dn.xlarge,  single-anchor 4 x g4dn.xlarge",
    "3,  single-anchor 16 x g4dn.xlarge, single-anchor 7 x g5.xlarge",
    "8,  single-anchor 32 x g3s.xlarge,  single-anchor 24 x g5.xlarge",
    "20, single-anchor 32 x g3s.xlarge,  single-anchor 32 x g5.xlarge",
  })
  void theBaselinesFillTheBudgetWithOneType(String budget, String costFirst, String fastFirst) {
    assertThat(DeepVmPolicies.published(PAPER, Job.UNSTATED, DataSize.ofGb(0.5), 2).subList(0, 2))
        .extracting(policy -> policy.choose(Money.parse(budget)))
        .extracting(plan -> plan == null ? "none" : PaperPlanTable.print(plan))
        .containsExactly(costFirst, fastFirst);
  }

  @Test
  void theReasonsNameTheSlipsThatShow() {
    assertThat(plan(PAPER, "20").get(0).why())
        .anyMatch(line -> line.contains("exclusive") && line.contains("31") && line.contains("32"))
        .anyMatch(line -> line.contains("2 x t3.xlarge") && line.contains("$9.6886"));
    assertThat(plan(PAPER, "3").get(0).why())
        .noneMatch(line -> line.contains("exclusive") || line.contains("ties"))
        .anyMatch(line -> line.contains("16.91") && line.contains("3.92"));
  }

  @Test
  void aBudgetThatBuysNothingHasNoAnswer() {
    assertThat(plan(PAPER, "0.3")).isEmpty();
    assertThat(DeepVmPolicies.published(PAPER, Job.UNSTATED, DataSize.ofGb(0.5), 2))
        .allSatisfy(policy -> assertThat(policy.choose(Money.parse("0.3"))).isNull());
  }

  @Test
  void anUnlistedBandwidthIsRefusedByNameWithTheKnownOnes() {
    List<Listing> listings = new ArrayList<>(PAPER.listings());
    listings.add(PaperCatalogs.cpu("c9.xlarge", "c", "0.1", 16, 4.2));
    assertThatThrownBy(() -> plan(PAPER.with(listings), "3"))
        .isInstanceOf(BadInput.class)
        .hasMessageContainingAll("c9.xlarge", "4.2 Gbps", "0.3", "12.5");
    // the policies of the sweep interpolate instead, because they take any catalog
    assertThat(
            DeepVmPolicies.published(PAPER.with(listings), Job.UNSTATED, DataSize.ofGb(0.5), 2)
                .get(3)
                .choose(Money.parse("3")))
        .isNotNull();
  }

  @Test
  void floorDivisionLosesTheNodesThatPythonLoses() {
    assertThat(ArtifactWorker.floorDivide(3 - 0.75, 0.225)).isEqualTo(9);
    assertThat(ArtifactWorker.floorDivide(1, 0.1)).isEqualTo(9);
    assertThat(ArtifactWorker.floorDivide(6, 0.5)).isEqualTo(12);
    assertThat(ArtifactWorker.floorDivide(-0.1, 0.25)).isEqualTo(-1);
  }

  private static List<Plan> plan(Catalog catalog, String budget) {
    return ArtifactPlanner.plan(
        catalog, Job.UNSTATED, Money.parse(budget), 0.5, 2, ArtifactScript.RUN);
  }
}

package io.deepvm.simulator.forecast;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Offer;
import io.deepvm.catalog.Place;
import io.deepvm.planner.Goal;
import io.deepvm.planner.NodeGroup;
import io.deepvm.planner.Objective;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Prediction;
import io.deepvm.planner.Role;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The price in apne2-az4 moved 7.3 % a week, that in apne2-az1 3.6 %. */
class SteadyZonesTest {

  private static final Machine G5 =
      new Machine("aws", "g5.xlarge", "g", 4, DataSize.ofGib(16), null, null, null, null, null);
  private static final Place RESTLESS = zone("apne2-az4");
  private static final Place STEADY = zone("apne2-az1");

  private static Place zone(String id) {
    return new Place("aws", "ap-northeast-2", id);
  }

  private static Catalog catalog(String steadyPrice) {
    Money onDemand = Money.parse("1.2");
    return new Catalog(
        "two zones",
        null,
        "made by hand",
        List.of(
            new Listing(G5, RESTLESS, Money.parse("0.5"), onDemand),
            new Listing(G5, STEADY, Money.parse(steadyPrice), onDemand)),
        List.of());
  }

  private static Plan plan(Objective objective) {
    Offer offer = new Offer(G5, RESTLESS, Market.SPOT, Money.parse("0.5"));
    return new Plan(
        "tiering",
        List.of(new NodeGroup(Role.WORKER, offer, 4)),
        Money.parse("2"),
        objective,
        20,
        0,
        new Prediction(3.5, 1e12, 36_000.0, Money.parse("20")),
        List.of());
  }

  private static Goal within(String perHour) {
    return Goal.within(Money.parse(perHour));
  }

  @Test
  void steadierZoneThatCostsNearlyTheSameIsPreferredAndSaidSo() {
    Plan moved = SteadyZones.prefer(plan(Objective.COST), catalog("0.505"), within("3"));

    assertThat(moved.nodes().get(0).offer().place()).isEqualTo(STEADY);
    assertThat(moved.pricePerHour()).isEqualTo(Money.parse("2.02"));
    assertThat(moved.predicted().cost()).isEqualTo(Money.parse("20.2"));
    assertThat(moved.score()).isEqualTo(20.2);
    assertThat(moved.why()).singleElement().asString().contains("apne2-az1 costs 1 % more");
  }

  @Test
  void zoneThatIsMuchDearerIsNot() {
    Plan plan = plan(Objective.COST);
    assertThat(SteadyZones.prefer(plan, catalog("0.52"), within("3"))).isEqualTo(plan);
  }

  @Test
  void budgetIsKept() {
    Plan plan = plan(Objective.COST);
    assertThat(SteadyZones.prefer(plan, catalog("0.505"), within("2.01"))).isEqualTo(plan);
  }

  @Test
  void planOfThePaperStaysWhereItIs() {
    Plan plan = plan(Objective.FLOPP);
    assertThat(SteadyZones.prefer(plan, catalog("0.505"), within("3"))).isEqualTo(plan);
  }
}

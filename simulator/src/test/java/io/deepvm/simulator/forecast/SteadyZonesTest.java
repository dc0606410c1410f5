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
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.catalog.Quota;
import io.deepvm.planner.Goal;
import io.deepvm.planner.NodeGroup;
import io.deepvm.planner.Objective;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Planning;
import io.deepvm.planner.Prediction;
import io.deepvm.planner.Role;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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
        List.of(
            "Limit: the budget; 5 workers would cost $2.50/h.",
            "Last worker: adds 3 % for $0.50/h.",
            "Scaling: it scales.",
            "Budget: the answer stays the same down to $2.00/h."));
  }

  /** Plans as a planner would that knows only the steady zone. */
  private static Planning planning(Catalog there) {
    assertThat(there.listings()).singleElement().extracting(Listing::place).isEqualTo(STEADY);
    Listing only = there.listings().get(0);
    Plan plan =
        new Plan(
            "tiering",
            List.of(new NodeGroup(Role.WORKER, Objects.requireNonNull(only.offer(Market.SPOT)), 4)),
            Money.parse("2.02"),
            Objective.COST,
            20,
            0,
            new Prediction(3.5, 1e12, 36_000.0, Money.parse("20.2")),
            List.of(
                "Limit: the budget; 5 workers would cost $2.525/h.",
                "Last worker: adds 3 % for $0.505/h.",
                "Budget: of one zone alone."));
    return new Planning(
        within("3"), List.of(), Map.of(), List.of(), List.of(plan), List.of(), null);
  }

  private static Plan prefer(Plan plan, Catalog offers, Goal goal) {
    return SteadyZones.prefer(plan, offers, goal, SteadyZonesTest::planning);
  }

  private static Goal within(String perHour) {
    return Goal.within(Money.parse(perHour));
  }

  @Test
  void steadierZoneThatCostsNearlyTheSameIsPreferredAndSaidSo() {
    Plan moved = prefer(plan(Objective.COST), catalog("0.505"), within("3"));

    assertThat(moved.nodes().get(0).offer().place()).isEqualTo(STEADY);
    assertThat(moved.pricePerHour()).isEqualTo(Money.parse("2.02"));
    assertThat(moved.predicted().cost()).isEqualTo(Money.parse("20.2"));
    assertThat(moved.score()).isEqualTo(20.2);
    assertThat(moved.why())
        .hasSize(4)
        .startsWith(
            "Limit: the budget; 5 workers would cost $2.525/h.",
            "Last worker: adds 3 % for $0.505/h.",
            "Scaling: it scales.")
        .last()
        .asString()
        .contains("apne2-az1 costs 1 % more");
  }

  @Test
  void reasonsOfTheCheaperZoneAreLeftOutWhereTheOtherWouldBePlannedOtherwise() {
    Plan moved =
        SteadyZones.prefer(
            plan(Objective.COST),
            catalog("0.505"),
            within("3"),
            there ->
                new Planning(
                    within("3"), List.of(), Map.of(), List.of(), List.of(), List.of(), null));
    assertThat(moved.why()).hasSize(2).startsWith("Scaling: it scales.");
  }

  @Test
  void aZoneWithAQuotaOfItsOwnIsNoChoice() {
    Plan plan = plan(Objective.COST);
    Quota own =
        new Quota(
            new PlaceFilter("aws/ap-northeast-2/apne2-az1"),
            Set.of(),
            Market.SPOT,
            Quota.Unit.NODES,
            2);
    Quota shared =
        new Quota(
            new PlaceFilter("aws/ap-northeast-2"), Set.of(), Market.SPOT, Quota.Unit.NODES, 4);
    Catalog offers = catalog("0.505");
    assertThat(prefer(plan, offers.withQuotas(List.of(own)), within("3"))).isEqualTo(plan);
    assertThat(prefer(plan, offers.withQuotas(List.of(shared)), within("3"))).isNotEqualTo(plan);
  }

  @Test
  void zoneThatIsMuchDearerIsNot() {
    Plan plan = plan(Objective.COST);
    assertThat(prefer(plan, catalog("0.52"), within("3"))).isEqualTo(plan);
  }

  @Test
  void budgetIsKept() {
    Plan plan = plan(Objective.COST);
    assertThat(prefer(plan, catalog("0.505"), within("2.01"))).isEqualTo(plan);
  }

  @Test
  void planOfThePaperStaysWhereItIs() {
    Plan plan = plan(Objective.FLOPP);
    assertThat(prefer(plan, catalog("0.505"), within("3"))).isEqualTo(plan);
  }
}

package io.deepvm.cli.print;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Offer;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.Precision;
import io.deepvm.catalog.Vendor;
import io.deepvm.planner.Goal;
import io.deepvm.planner.Hint;
import io.deepvm.planner.NodeGroup;
import io.deepvm.planner.Objective;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Planning;
import io.deepvm.planner.Prediction;
import io.deepvm.planner.RankedOffer;
import io.deepvm.planner.Role;
import io.deepvm.planner.Setting;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Hand-made plans, so that printing is tested without planning. */
final class Samples {

  static final Place EAST = new Place("aws", "us-east-1", null);
  static final Machine T4 =
      new Machine(
          "aws",
          "g4dn.xlarge",
          "g",
          4,
          DataSize.ofGib(16),
          new Gpus(
              new Gpu(
                  "T4",
                  Vendor.NVIDIA,
                  DataSize.ofGib(16),
                  320e9,
                  Map.of(Precision.FP32, 8.1e12, Precision.FP16, 65e12)),
              1),
          Bandwidth.ofGbps(5),
          null,
          null,
          null);
  static final Machine CPU =
      new Machine(
          "aws", "c5.xlarge", "standard", 4, DataSize.ofGib(8), null, null, null, null, null);

  static final Catalog CATALOG =
      new Catalog(
          "small",
          LocalDate.of(2026, 8, 22),
          "made by hand",
          List.of(
              new Listing(T4, EAST, Money.parse("0.1578"), Money.parse("0.526")),
              new Listing(T4, new Place("aws", "eu-west-1", "a"), null, Money.parse("0.6")),
              new Listing(CPU, EAST, null, Money.parse("0.17"))),
          List.of());

  private Samples() {}

  static Plan plan(int workers, @Nullable Double seconds, @Nullable Money cost) {
    List<NodeGroup> nodes =
        List.of(
            new NodeGroup(
                Role.WORKER, new Offer(T4, EAST, Market.SPOT, Money.parse("0.1578")), workers),
            new NodeGroup(
                Role.ANCHOR, new Offer(CPU, EAST, Market.ON_DEMAND, Money.parse("0.17")), 1));
    Money price = nodes.get(0).pricePerHour().plus(nodes.get(1).pricePerHour());
    return new Plan(
        "tiering",
        nodes,
        price,
        Objective.FLOPP,
        1.5e19 * workers,
        0,
        new Prediction(3.92, 65e12 * 3.92, seconds, cost),
        List.of("Limit: the budget."));
  }

  static Planning planning(Plan... plans) {
    return new Planning(
        Goal.within(Money.parse("3")),
        List.of(
            new RankedOffer(
                new Offer(T4, EAST, Market.SPOT, Money.parse("0.1578")), 65e12, 1.48e18)),
        Map.of("no spot offer", 2, "FLOPS unknown", 7),
        List.of(
            new Planning.Stage("single-anchor", 12, null),
            new Planning.Stage("tiering", 1234, plans[0])),
        List.of(plans),
        List.of(plans[0]),
        null);
  }

  static Planning infeasible() {
    return new Planning(
        Goal.within(Money.parse("0.01")),
        List.of(),
        Map.of(),
        List.of(),
        List.of(),
        List.of(),
        new Planning.Infeasible(
            "No cluster costs as little as $0.01/h.",
            List.of(new Hint.Change("raise", Setting.MAX_PRICE_PER_HOUR, "to $0.3278")),
            Money.parse("0.3278")));
  }
}

package io.deepvm.cli.print;

import io.deepvm.base.Durations;
import io.deepvm.base.Money;
import io.deepvm.base.Numbers;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Offer;
import io.deepvm.market.Pool;
import io.deepvm.market.SpotLosses;
import io.deepvm.planner.NodeGroup;
import io.deepvm.planner.Plan;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the spot market saves against on-demand machines, and at which risk, in a line. */
public final class SpotSaving {

  /** How the line begins. */
  static final String LABEL = "Market: ";

  private final Catalog catalog;

  public SpotSaving(Catalog catalog) {
    this.catalog = catalog;
  }

  /** Returns the line about a plan, or null where it rents no machine that trains. */
  public @Nullable String line(Plan plan) {
    List<NodeGroup> rented =
        plan.nodes().stream()
            .filter(g -> Clusters.market(g.offer()) != null && g.offer().machine().trains())
            .toList();
    List<NodeGroup> spot = rented.stream().filter(g -> g.offer().market() == Market.SPOT).toList();
    if (rented.isEmpty()) {
      return null;
    }
    return LABEL + (spot.isEmpty() ? onDemandPlan(plan, rented) : spotPlan(plan, spot));
  }

  private String spotPlan(Plan plan, List<NodeGroup> spot) {
    Money other = price(plan, spot, Market.ON_DEMAND);
    String risk = risk(spot.get(0).offer());
    if (other == null) {
      return "what these machines cost on demand is not known; risk of spot: %s.".formatted(risk);
    }
    double saved = saved(plan.pricePerHour(), other);
    return saved >= 0
        ? "spot saves %s against the same cluster on demand (%s/h instead of %s/h); risk: %s."
            .formatted(Numbers.percent(saved), plan.pricePerHour(), other, risk)
        : "on demand the same cluster costs %s less (%s/h instead of %s/h), without the risk: %s."
            .formatted(
                Numbers.percent(saved(other, plan.pricePerHour())),
                other,
                plan.pricePerHour(),
                risk);
  }

  private String onDemandPlan(Plan plan, List<NodeGroup> rented) {
    Offer first = rented.get(0).offer();
    Money other = price(plan, rented, Market.SPOT);
    if (other == null) {
      return "on demand; %s has no spot offer in %s, so spot saves nothing."
          .formatted(first.machine().name(), first.place());
    }
    double saved = saved(other, plan.pricePerHour());
    return saved <= 0
        ? "on demand, which is no dearer than spot here (%s/h).".formatted(other)
        : "on demand; spot would save %s (%s/h instead of %s/h) at the risk: %s."
            .formatted(Numbers.percent(saved), other, plan.pricePerHour(), risk(first));
  }

  private static double saved(Money less, Money more) {
    return 1 - less.dollars() / more.dollars();
  }

  /** Returns the plan's price per hour with these groups on another market; null if unknown. */
  private @Nullable Money price(Plan plan, List<NodeGroup> moved, Market market) {
    Money price = plan.pricePerHour();
    for (NodeGroup group : moved) {
      Offer other = offer(group.offer(), market);
      if (other == null) {
        return null;
      }
      price = price.minus(group.pricePerHour()).plus(other.pricePerHour().times(group.count()));
    }
    return price;
  }

  private @Nullable Offer offer(Offer like, Market market) {
    for (Listing listing : catalog.listings()) {
      if (listing.place().equals(like.place()) && listing.machine().equals(like.machine())) {
        return listing.offer(market);
      }
    }
    return null;
  }

  private static String risk(Offer offer) {
    SpotLosses losses = SpotLosses.of(new Pool(offer.place(), offer.machine().name()));
    String often =
        Durations.print(Durations.ofSeconds(Math.round(losses.hoursPerLoss() * 60) * 60.0));
    return switch (losses.source()) {
      case POOL ->
          "a spot node there was lost every %s on average (record %s)"
              .formatted(often, losses.record());
      case TYPE ->
          "a spot node of the type was lost every %s on average (record %s, other places)"
              .formatted(often, losses.record());
      case BORROWED ->
          "a spot node is lost about every %s (borrowed from %s, which recorded %s)"
              .formatted(often, losses.record(), losses.recordedType());
    };
  }
}

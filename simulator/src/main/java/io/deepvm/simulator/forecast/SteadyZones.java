package io.deepvm.simulator.forecast;

import io.deepvm.base.Money;
import io.deepvm.base.Numbers;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Offer;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.Quota;
import io.deepvm.market.Pool;
import io.deepvm.market.PriceSteadiness;
import io.deepvm.planner.Goal;
import io.deepvm.planner.NodeGroup;
import io.deepvm.planner.Objective;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Planning;
import io.deepvm.planner.Prediction;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Moves spot workers to a steadier zone of their region that costs nearly the same.
 *
 * <p>On the price history of AWS, the steadiest of all zones within 2 % of a type's cheapest was
 * 7.8 % dearer on average over the next four weeks, the cheapest one 9.1 %. Over one week both were
 * 1.6 % dearer. Within 5 % the steadiest zone saved nothing in four weeks, so 2 % is the limit.
 */
public final class SteadyZones {

  /** The most that a steadier zone may cost more. */
  private static final double NEAR = 0.02;

  /** The least that its price must move less within a week. */
  private static final double STEADIER = 0.01;

  /** Reasons that speak of prices, which are others in another zone. */
  private static final List<String> OF_PRICES =
      List.of("Limit:", "Last worker:", "Budget:", "Runner-up:", "Why not this one:");

  /** Of these, the ones that a planning of one zone alone answers. */
  private static final List<String> OF_ONE_ZONE = List.of("Limit:", "Last worker:");

  private SteadyZones() {}

  /**
   * Returns the plan in the steadiest of the zones that cost nearly the same, and why. Reasons that
   * were about prices in the cheaper zone are found anew for the other one, or left out.
   *
   * @param planner plans on some of the offers
   */
  public static Plan prefer(
      Plan plan, Catalog offers, Goal goal, Function<Catalog, Planning> planner) {
    NodeGroup workers = spotGroup(plan);
    if (workers == null || plan.objective() == Objective.FLOPP) {
      return plan;
    }
    Offer now = workers.offer();
    PriceSteadiness known = steadiness(now);
    if (known == null) {
      return plan;
    }
    Plan best = plan;
    double unrest = known.unrest() - STEADIER;
    for (Listing listing : offers.in(goal.places())) {
      Offer other =
          isNear(listing, now) && haveTheSameQuotas(listing.place(), now.place(), offers.quotas())
              ? listing.offer(Market.SPOT)
              : null;
      PriceSteadiness steady = other == null ? null : steadiness(other);
      if (other != null && steady != null && steady.unrest() < unrest) {
        Plan moved = moved(plan, other.place(), offers);
        if (moved != null && isWithin(moved, goal)) {
          unrest = steady.unrest();
          best = moved.withReason(reason(now, other, known, steady));
        }
      }
    }
    return best.equals(plan) ? plan : explained(best, offers, planner);
  }

  /** Returns a moved plan with the reasons that hold in its zone. */
  private static Plan explained(Plan moved, Catalog offers, Function<Catalog, Planning> planner) {
    Place place = moved.nodes().get(0).offer().place();
    Catalog there =
        offers.with(offers.listings().stream().filter(l -> l.place().equals(place)).toList());
    List<String> why =
        planner.apply(there).plans().stream()
            .filter(plan -> plan.nodes().equals(moved.nodes()))
            .flatMap(plan -> plan.why().stream())
            .filter(reason -> startsWith(reason, OF_ONE_ZONE))
            .collect(Collectors.toCollection(ArrayList::new));
    if (why.isEmpty()) {
      // The zone alone has another best plan. A limit without a price holds in every zone.
      moved.why().stream()
          .filter(reason -> startsWith(reason, OF_ONE_ZONE) && !reason.contains("$"))
          .forEach(why::add);
    }
    moved.why().stream().filter(reason -> !startsWith(reason, OF_PRICES)).forEach(why::add);
    return moved.withWhy(why);
  }

  private static boolean startsWith(String reason, List<String> beginnings) {
    return beginnings.stream().anyMatch(reason::startsWith);
  }

  /** Returns the plan's spot nodes if they are of one type and the plan is in one zone. */
  private static @Nullable NodeGroup spotGroup(Plan plan) {
    List<NodeGroup> spot =
        plan.nodes().stream().filter(g -> g.offer().market() == Market.SPOT).toList();
    boolean together = plan.nodes().stream().map(g -> g.offer().place()).distinct().count() == 1;
    return together && spot.size() == 1 ? spot.get(0) : null;
  }

  private static @Nullable PriceSteadiness steadiness(Offer offer) {
    return PriceSteadiness.of(new Pool(offer.place(), offer.machine().name()));
  }

  private static boolean isNear(Listing listing, Offer now) {
    Offer other = listing.offer(Market.SPOT);
    return other != null
        && listing.machine().equals(now.machine())
        && Objects.equals(listing.place().region(), now.place().region())
        && !listing.place().equals(now.place())
        && other.pricePerHour().dollars() <= now.pricePerHour().dollars() * (1 + NEAR);
  }

  /** A zone with a quota of its own is no choice: the plan was made within those of its zone. */
  private static boolean haveTheSameQuotas(Place one, Place other, List<Quota> quotas) {
    return quotas.stream()
        .map(quota -> quota.place().test())
        .allMatch(test -> test.matches(one) == test.matches(other));
  }

  /** Returns the plan with all of its nodes in another zone; null where it lacks one of them. */
  private static @Nullable Plan moved(Plan plan, Place to, Catalog offers) {
    List<NodeGroup> nodes = new ArrayList<>();
    Money price = plan.pricePerHour();
    for (NodeGroup group : plan.nodes()) {
      Offer offer =
          offers.listings().stream()
              .filter(l -> l.place().equals(to) && l.machine().equals(group.offer().machine()))
              .findFirst()
              .map((Listing l) -> l.offer(group.offer().market()))
              .orElse(null);
      if (offer == null) {
        return null;
      }
      NodeGroup moved = new NodeGroup(group.role(), offer, group.count());
      nodes.add(moved);
      price = price.minus(group.pricePerHour()).plus(moved.pricePerHour());
    }
    double dearer = price.dollars() / plan.pricePerHour().dollars();
    Prediction was = plan.predicted();
    return new Plan(
        plan.architecture(),
        nodes,
        price,
        plan.objective(),
        plan.objective() == Objective.COST ? plan.score() * dearer : plan.score(),
        plan.gap(),
        new Prediction(
            was.speedup(),
            was.flops(),
            was.samplesPerSecond(),
            was.granularity(),
            was.trafficPerHour(),
            was.seconds(),
            was.cost() == null ? null : was.cost().times(dearer)),
        plan.why());
  }

  private static boolean isWithin(Plan plan, Goal goal) {
    Money cost = plan.predicted().cost();
    Money most = goal.maxCost();
    return plan.pricePerHour().compareTo(goal.maxPricePerHour()) <= 0
        && (cost == null || most == null || cost.compareTo(most) <= 0);
  }

  private static String reason(
      Offer from, Offer to, PriceSteadiness before, PriceSteadiness after) {
    return ("Zone: %s costs %s more than %s, but is steadier: its price moved %s a week instead of"
            + " %s, and it was on offer in %s of weeks instead of %s (26 weeks to January 2026).")
        .formatted(
            to.place().zone(),
            Numbers.percent(to.pricePerHour().dollars() / from.pricePerHour().dollars() - 1),
            from.place().zone(),
            Numbers.percent(after.weeklyChange()),
            Numbers.percent(before.weeklyChange()),
            Numbers.percent(after.offeredShare()),
            Numbers.percent(before.offeredShare()));
  }
}

package io.deepvm.cli.print;

import io.deepvm.base.Durations;
import io.deepvm.base.Numbers;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Offer;
import io.deepvm.catalog.Place;
import io.deepvm.planner.NodeGroup;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Role;
import io.deepvm.workload.averaging.Geography;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Clusters in words. */
public final class Clusters {

  private Clusters() {}

  /** Returns "17 x g4dn.xlarge spot + 1 x c5.xlarge on-demand in aws/us-east-1". */
  public static String nodes(Plan plan) {
    return nodes(plan.nodes());
  }

  static String nodes(List<NodeGroup> groups) {
    if (groups.isEmpty()) {
      return "Nothing to rent";
    }
    List<Place> places = groups.stream().map(g -> g.offer().place()).distinct().toList();
    if (places.size() == 1) {
      return groups(groups) + " in " + places.get(0);
    }
    return groups.stream()
        .map(g -> group(g) + " in " + g.offer().place())
        .collect(Collectors.joining(" + "));
  }

  /** Returns what renting the plan gives: price, speed, and time and cost where known. */
  public static String promise(Plan plan) {
    String text = rate(plan);
    Double seconds = plan.predicted().seconds();
    if (seconds != null) {
      text += ", done in " + Durations.print(Durations.ofSeconds(seconds));
    }
    if (plan.predicted().cost() != null) {
      text += " for " + Figures.dollars(plan.predicted().cost().dollars());
    }
    return text;
  }

  /** Returns price and speed. */
  static String rate(Plan plan) {
    return "%s/h, speed-up %s, %s"
        .formatted(plan.pricePerHour(), Numbers.print(plan.predicted().speedup()), speed(plan));
  }

  private static String speed(Plan plan) {
    if (plan.predicted().flops() == null) {
      return Figures.samples(plan.predicted().samplesPerSecond()) + " samples/s";
    }
    return Figures.isStated(plan)
        ? "speed " + Figures.flops(plan) + " in the catalog's unit"
        : Figures.flops(plan);
  }

  static String groups(Plan plan, Role role) {
    List<NodeGroup> of = plan.nodes().stream().filter(g -> g.role() == role).toList();
    return of.isEmpty() ? "-" : groups(of);
  }

  /** Returns the nodes that do not train, or a dash. */
  static String besideWorkers(Plan plan) {
    List<NodeGroup> of = plan.nodes().stream().filter(g -> g.role() != Role.WORKER).toList();
    return of.isEmpty() ? "-" : groups(of);
  }

  static String placeNames(Plan plan) {
    return plan.nodes().isEmpty()
        ? "-"
        : places(plan).stream().map(Place::toString).collect(Collectors.joining(", "));
  }

  static String gpus(Gpus gpus) {
    String name = gpus.model().name();
    return gpus.count() == 1 ? name : Numbers.print(gpus.count()) + " x " + name;
  }

  private static List<Place> places(Plan plan) {
    return plan.nodes().stream().map(g -> g.offer().place()).distinct().toList();
  }

  private static String groups(List<NodeGroup> groups) {
    return groups.stream().map(Clusters::group).collect(Collectors.joining(" + "));
  }

  private static String group(NodeGroup group) {
    Market market = market(group.offer());
    String nodes = group.count() + " x " + group.offer().machine().name();
    return market == null ? nodes : nodes + " " + market;
  }

  /** Returns the market it is rented on, or null for a machine of one's own. */
  static @Nullable Market market(Offer offer) {
    return offer.place().cloud().equals(Geography.ON_PREMISE) ? null : offer.market();
  }
}

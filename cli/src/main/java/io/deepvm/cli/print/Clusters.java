package io.deepvm.cli.print;

import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Place;
import io.deepvm.planner.NodeGroup;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Role;
import io.deepvm.units.Durations;
import io.deepvm.units.Numbers;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Clusters in words. */
public final class Clusters {

  private Clusters() {}

  /** Returns "17 x g4dn.xlarge spot + 1 x c5.xlarge on-demand in aws/us-east-1". */
  public static String nodes(Plan plan) {
    List<Place> places = places(plan);
    if (places.size() == 1) {
      return groups(plan.nodes()) + " in " + places.get(0);
    }
    return plan.nodes().stream()
        .map(g -> group(g) + " in " + g.offer().place())
        .collect(Collectors.joining(" + "));
  }

  /** Returns what renting the plan gives: price, speed, and time and cost where known. */
  public static String promise(Plan plan) {
    String text =
        String.format(
            Locale.ROOT,
            "%s/h, speed-up %s, %s",
            plan.pricePerHour(),
            Numbers.print(plan.predicted().speedup()),
            Figures.isStated(plan)
                ? "speed "
                    + Figures.flops(plan.predicted().flops(), true)
                    + " in the catalog's unit"
                : Figures.flops(plan.predicted().flops(), false));
    Double seconds = plan.predicted().seconds();
    if (seconds != null) {
      text += ", done in " + Durations.print(Durations.ofSeconds(seconds));
    }
    if (plan.predicted().cost() != null) {
      text += " for " + Figures.dollars(plan.predicted().cost().dollars());
    }
    return text;
  }

  static String groups(Plan plan, Role role) {
    List<NodeGroup> of = plan.nodes().stream().filter(g -> g.role() == role).toList();
    return of.isEmpty() ? "-" : groups(of);
  }

  static String placeNames(Plan plan) {
    return places(plan).stream().map(Place::toString).collect(Collectors.joining(", "));
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
    return group.count() + " x " + group.offer().machine().name() + " " + group.offer().market();
  }
}

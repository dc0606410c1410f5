package io.deepvm.cli.print;

import io.deepvm.base.Numbers;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.PriceDate;
import io.deepvm.catalog.PriceDates;
import io.deepvm.market.PriceDrift;
import io.deepvm.planner.NodeGroup;
import io.deepvm.planner.Plan;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Announces prices that are too old to rent by. */
public final class PriceAge {

  /** The oldest prices that pass without a word. */
  static final int FRESH_DAYS = 30;

  private static final String AWS = "aws";
  private static final int DAYS_COUNTED = 90;
  private static final double DAYS_A_MONTH = 365.25 / 12;

  private PriceAge() {}

  /**
   * Returns a line that says how old the prices of each cloud are, or null where none are old. A
   * catalog of the past has no such line.
   *
   * @param catalog the clouds that plans were sought on
   * @param first the clouds to name first
   */
  public static @Nullable String announcement(Catalog catalog, Set<String> first, LocalDate today) {
    if (catalog.dates().use() == PriceDates.Use.HISTORY) {
      return null;
    }
    Set<String> clouds = new LinkedHashSet<>(first);
    clouds.addAll(new TreeSet<>(catalog.clouds()));
    Map<PriceDate, List<String>> old = new LinkedHashMap<>();
    for (String cloud : clouds) {
      PriceDate date = catalog.dates().of(cloud);
      if (date != null && days(date, today) > FRESH_DAYS) {
        old.computeIfAbsent(date, d -> new ArrayList<>()).add(cloud);
      }
    }
    if (old.isEmpty()) {
      return null;
    }
    List<String> parts = new ArrayList<>();
    old.forEach(
        (date, names) -> parts.add("%s %s (%s)".formatted(listed(names), age(date, today), date)));
    return "Prices are old: %s. Refresh them with 'deepvm catalog refresh'."
        .formatted(String.join("; ", parts));
  }

  /**
   * Returns a line on how far spot prices of this age have moved before, or null where no plan
   * rents spot nodes at old prices on a cloud whose prices were followed.
   */
  public static @Nullable String drift(Catalog catalog, List<Plan> plans, LocalDate today) {
    Set<String> rented = new TreeSet<>();
    plans.stream()
        .flatMap(plan -> plan.nodes().stream())
        .map(NodeGroup::offer)
        .filter(o -> o.market() == Market.SPOT && PriceDrift.isKnown(o.place().cloud()))
        .forEach(o -> rented.add(o.place().cloud()));
    List<String> sentences = new ArrayList<>();
    for (String cloud : rented) {
      PriceDate date = catalog.dates().of(cloud);
      boolean isHistory = catalog.dates().use() == PriceDates.Use.HISTORY;
      if (date != null && !isHistory && days(date, today) > FRESH_DAYS) {
        sentences.add(drift(cloud, days(date, today)));
      }
    }
    return sentences.isEmpty() ? null : String.join("\n", sentences);
  }

  private static String drift(String cloud, long days) {
    PriceDrift drift = PriceDrift.after(cloud, (double) days);
    return "After %d days the cheapest %s was %s dearer in the median, and %s or more in a tenth of cases (%s)."
        .formatted(
            days,
            cloud.equals(AWS) ? "zone of an AWS type" : "region of a Google type",
            Numbers.percent(drift.median()),
            Numbers.percent(drift.high()),
            cloud.equals(AWS) ? "2022-12 to 2026-01" : "2023-05 to 2026-07");
  }

  /** Returns how many days old prices are at least. */
  static long days(PriceDate date, LocalDate today) {
    return ChronoUnit.DAYS.between(date.latest(), today);
  }

  private static String listed(List<String> names) {
    int last = names.size() - 1;
    return last == 0
        ? names.get(0)
        : String.join(", ", names.subList(0, last)) + " and " + names.get(last);
  }

  private static String age(PriceDate date, LocalDate today) {
    long days = days(date, today);
    if (days > DAYS_COUNTED) {
      return "about %d months".formatted(Math.round(days / DAYS_A_MONTH));
    }
    return (date.day() == null ? "at least %d days" : "%d days").formatted(days);
  }
}

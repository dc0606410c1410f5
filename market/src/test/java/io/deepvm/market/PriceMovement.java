package io.deepvm.market;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Measures how spot prices moved, week by week of a price history. */
final class PriceMovement {

  private static final int[] DAYS = {0, 1, 7, 14, 30, 60, 88, 120, 180, 270, 365};
  private static final int WEEKS = 26;
  private static final long DAY = Duration.ofDays(1).toSeconds();

  private final Map<String, List<PriceHistory.Series>> byType;
  private final long first;
  private final long last;

  PriceMovement(PriceHistory history) {
    List<PriceHistory.Series> all = history.series();
    byType =
        all.stream()
            .collect(
                Collectors.groupingBy(
                    s -> s.pool().instanceType(), TreeMap::new, Collectors.toList()));
    first = all.stream().mapToLong(s -> s.epochSeconds()[0]).min().orElseThrow() / DAY + 1;
    last =
        all.stream()
                .mapToLong(s -> Arrays.stream(s.epochSeconds()).max().orElseThrow())
                .max()
                .orElseThrow()
            / DAY;
  }

  /** Returns how much dearer the cheapest zone of a type was later, as rows of a table. */
  List<String> drift() {
    List<String> rows = new ArrayList<>();
    for (int days : DAYS) {
      List<Double> later = new ArrayList<>();
      for (long day = first; day + days <= last; day += 7) {
        for (List<PriceHistory.Series> zones : byType.values()) {
          long now = day * DAY;
          List<PriceHistory.Series> offered =
              zones.stream().filter(z -> z.spotAt(now) > 0).toList();
          if (offered.size() > 1) {
            PriceHistory.Series cheapest =
                offered.stream().min(Comparator.comparingDouble(z -> z.spotAt(now))).orElseThrow();
            double then = cheapest.spotAt((day + days) * DAY);
            if (then > 0) {
              later.add(then / cheapest.spotAt(now) - 1);
            }
          }
        }
      }
      double[] sorted = later.stream().mapToDouble(Double::doubleValue).sorted().toArray();
      rows.add(
          String.format(
              Locale.ROOT,
              "%d,%d,%.3f,%.3f,%.3f,%.3f",
              days,
              sorted.length,
              sorted[sorted.length / 10],
              sorted[sorted.length / 2],
              sorted[sorted.length * 9 / 10],
              Arrays.stream(sorted).average().orElseThrow()));
    }
    return rows;
  }

  /** Returns how steady each zone was in the last weeks, as rows of a table. */
  List<String> steadiness() {
    List<String> rows = new ArrayList<>();
    byType.forEach((type, zones) -> zones.forEach(zone -> rows.add(row(zone))));
    return rows;
  }

  private String row(PriceHistory.Series zone) {
    double moved = 0;
    int pairs = 0;
    int offered = 0;
    double before = Double.NaN;
    for (int week = WEEKS; week >= 0; week--) {
      double price = zone.spotAt((last - 7L * week) * DAY);
      offered += price > 0 ? 1 : 0;
      if (price > 0 && before > 0) {
        moved += Math.abs(Math.log(price / before));
        pairs++;
      }
      before = price;
    }
    return String.format(
        Locale.ROOT,
        "%s,%s,%s,%.4f",
        zone.pool().instanceType(),
        zone.pool().place(),
        pairs == 0 ? "" : String.format(Locale.ROOT, "%.4f", moved / pairs),
        offered / (WEEKS + 1.0));
  }
}

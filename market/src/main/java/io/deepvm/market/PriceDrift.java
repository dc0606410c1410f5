package io.deepvm.market;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * How much dearer the cheapest zone of a type was some days later, as shares of its price.
 *
 * <p>Measured week by week on 902 pools of 23 GPU types of AWS, December 2022 to January 2026, and
 * on the regions of 29 GPU types of Google, May 2023 to July 2026. The cheapest zone of a moment is
 * often one that is cheap for a short time, so it becomes dearer.
 *
 * @param low a tenth of the cases was below
 * @param high a tenth of the cases was above
 */
public record PriceDrift(double days, double low, double median, double high, double mean) {

  private static final Map<String, String> TABLES =
      Map.of("aws", "price-drift.csv", "gcp", "price-drift-gcp.csv");
  static final String HEADER = "days,cases,p10,median,p90,mean";

  /** Returns whether the prices of a cloud were followed. */
  public static boolean isKnown(String cloud) {
    return TABLES.containsKey(cloud);
  }

  static String table(String cloud) {
    return Objects.requireNonNull(TABLES.get(cloud), cloud);
  }

  /** Returns the drift on a known cloud after some days; beyond the table, that of its last row. */
  public static PriceDrift after(String cloud, double days) {
    List<PriceDrift> rows =
        ResourceTable.rows(table(cloud)).stream()
            .map(c -> new PriceDrift(n(c[0]), n(c[2]), n(c[3]), n(c[4]), n(c[5])))
            .toList();
    PriceDrift before = rows.get(0);
    for (PriceDrift row : rows) {
      if (row.days >= days) {
        return before.towards(row, days);
      }
      before = row;
    }
    return before;
  }

  /**
   * Returns the mean price over a job on a known cloud, as a share of the price that a snapshot
   * states.
   *
   * @param ageDays of the snapshot when the job begins
   */
  public static double meanOver(String cloud, double ageDays, double jobDays) {
    int steps = 16;
    double sum = 0;
    for (int i = 0; i < steps; i++) {
      sum += 1 + after(cloud, ageDays + jobDays * (i + 0.5) / steps).mean;
    }
    return sum / steps;
  }

  private PriceDrift towards(PriceDrift next, double at) {
    double share = next.days == days ? 1 : (at - days) / (next.days - days);
    return new PriceDrift(
        at,
        between(low, next.low, share),
        between(median, next.median, share),
        between(high, next.high, share),
        between(mean, next.mean, share));
  }

  private static double between(double from, double to, double share) {
    return from + share * (to - from);
  }

  private static double n(String cell) {
    return Double.parseDouble(cell);
  }
}

package io.deepvm.market;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How steady price and offer of a pool were in the last 26 weeks of the price history, which ends
 * in January 2026.
 *
 * @param weeklyChange mean change of the price within a week, as a share of the price
 * @param offeredShare the share of weeks in which the pool had a spot price
 */
public record PriceSteadiness(double weeklyChange, double offeredShare) {

  static final String TABLE = "price-steadiness.csv";
  static final String HEADER = "instance_type,place,weekly_change,offered_share";

  /** Returns what is known of a pool; null where it has no history of price. */
  public static @Nullable PriceSteadiness of(Pool pool) {
    return Known.BY_POOL.get(pool.instanceType() + "," + pool.place());
  }

  /** Returns how little is to be feared: a week without an offer counts as a change of 100 %. */
  public double unrest() {
    return weeklyChange + (1 - offeredShare);
  }

  /** The table, read at the first question. */
  private static final class Known {

    private static final Map<String, PriceSteadiness> BY_POOL = read();

    private static Map<String, PriceSteadiness> read() {
      Map<String, PriceSteadiness> byPool = new HashMap<>();
      for (String[] row : ResourceTable.rows(TABLE)) {
        if (!row[2].isEmpty()) {
          byPool.put(
              row[0] + "," + row[1],
              new PriceSteadiness(Double.parseDouble(row[2]), Double.parseDouble(row[3])));
        }
      }
      return byPool;
    }
  }
}

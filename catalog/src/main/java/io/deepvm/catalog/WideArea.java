package io.deepvm.catalog;

import io.deepvm.base.Bandwidth;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What was measured between two regions of large clouds.
 *
 * @param roundTrip of the slower direction; null when not measured
 * @param many TCP connections together carry this; null when not measured
 */
record WideArea(@Nullable Duration roundTrip, @Nullable Bandwidth many) {

  static final String TABLE = "network/wide-area.csv";

  static final String SOURCE = "Skyplane 2022, network/wide-area.csv";

  private static final double NANOS_PER_MILLI = 1e6;

  /** Returns what was measured between the regions, or null. */
  static @Nullable WideArea between(Place from, Place to) {
    return Rows.BY_ENDS.get(key(region(from), region(to)));
  }

  private static String region(Place place) {
    return place.cloud() + '/' + place.region();
  }

  private static String key(String one, String other) {
    return one.compareTo(other) <= 0 ? one + ',' + other : other + ',' + one;
  }

  /** The table, read at the first question. */
  private static final class Rows {

    static final Map<String, WideArea> BY_ENDS = read();

    private static Map<String, WideArea> read() {
      Map<String, WideArea> byEnds = new HashMap<>();
      for (String[] row : Table.rows(TABLE)) {
        Double millis = Table.number(row, 2);
        Double mbps = Table.number(row, 3);
        byEnds.put(
            key(row[0], row[1]),
            new WideArea(
                millis == null ? null : Duration.ofNanos(Math.round(millis * NANOS_PER_MILLI)),
                mbps == null ? null : Bandwidth.ofMbps(mbps)));
      }
      return byEnds;
    }
  }
}

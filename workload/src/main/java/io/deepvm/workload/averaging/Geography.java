package io.deepvm.workload.averaging;

import io.deepvm.catalog.Place;
import io.deepvm.catalog.Wires;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Returns the continent of a place, from the catalog's table. */
public final class Geography {

  /** The cloud that machines of one's own are in; the region may be a continent's name. */
  public static final String ON_PREMISE = "on-premise";

  // The catalog asks this table for itself only; reading it again keeps the two in step.
  private static final List<String[]> RULES = Resource.rows(Wires.class, "network/continents.csv");

  /** Google's regions between which round trips were measured, by continent. */
  private static final Map<String, Place> MEASURED =
      Map.of(
          "north-america", new Place("gcp", "us-central1", null),
          "europe", new Place("gcp", "europe-west1", null),
          "asia", new Place("gcp", "asia-east1", null),
          "oceania", new Place("gcp", "australia-southeast1", null));

  private Geography() {}

  /** Returns the continent of a place, or null where the table does not know the region. */
  public static @Nullable String continent(Place place) {
    if (place.cloud().equals(ON_PREMISE) && MEASURED.containsKey(place.region())) {
      return place.region();
    }
    for (String[] rule : RULES) {
      if (matches(rule[0], place.cloud()) && matches(rule[1], place.region())) {
        return rule[2];
      }
    }
    return null;
  }

  /** Returns the region that stands for a continent in measurements, or null. */
  static @Nullable Place measured(@Nullable String continent) {
    return continent == null ? null : MEASURED.get(continent);
  }

  private static boolean matches(String pattern, String text) {
    if (pattern.startsWith("*")) {
      return text.endsWith(pattern.substring(1));
    }
    return pattern.endsWith("*")
        ? text.startsWith(pattern.substring(0, pattern.length() - 1))
        : text.equals(pattern);
  }
}

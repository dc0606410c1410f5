package io.deepvm.catalog;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the continent of a region by a small table of rules; the first match decides. */
final class Continents {

  static final String TABLE = "network/continents.csv";

  private static final List<String[]> RULES = Table.rows(TABLE);

  private Continents() {}

  /** Returns the continent of a place, or null where no rule knows the region. */
  static @Nullable String of(Place place) {
    for (String[] rule : RULES) {
      if (matches(rule[0], place.cloud()) && matches(rule[1], place.region())) {
        return rule[2];
      }
    }
    return null;
  }

  /** Whether the text fits the pattern, whose star may stand at its start or its end. */
  static boolean matches(String pattern, String text) {
    if (pattern.startsWith("*")) {
      return text.endsWith(pattern.substring(1));
    }
    return pattern.endsWith("*")
        ? text.startsWith(pattern.substring(0, pattern.length() - 1))
        : text.equals(pattern);
  }
}

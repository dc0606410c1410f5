package io.deepvm.catalog;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** One quota as people write it: place, families, market, and one of vcpus, gpus or nodes. */
public final class QuotaEntry {

  /** The keys that an entry may have. */
  public static final List<String> KEYS =
      List.of("place", "families", "market", "vcpus", "gpus", "nodes");

  private static final List<String> MARKETS =
      List.of(Market.SPOT.toString(), Market.ON_DEMAND.toString());
  private static final String EXAMPLE =
      "Maybe write it like place: aws/us-east-1, families: [g, vt], market: spot, vcpus: 128.";

  private QuotaEntry() {}

  /**
   * Returns the quota that the keys and their values say.
   *
   * @param where the file and line, for error messages
   */
  public static Quota of(Map<String, List<String>> entry, String where) {
    for (String key : entry.keySet()) {
      if (!KEYS.contains(key)) {
        throw new BadInput(
            "%s: the key '%s' is not known in a quota.".formatted(where, key),
            Suggestion.maybe(key, KEYS, EXAMPLE));
      }
    }
    Quota.Unit unit = unit(entry, where);
    return new Quota(
        new PlaceFilter(entry.containsKey("place") ? single(entry, "place", where) : "*"),
        families(entry),
        market(entry, where),
        unit,
        limit(single(entry, key(unit), where), where));
  }

  private static Set<String> families(Map<String, List<String>> entry) {
    Set<String> families = new TreeSet<>();
    for (String family : entry.getOrDefault("families", List.of())) {
      families.add(family.toLowerCase(Locale.ROOT));
    }
    return Set.copyOf(families);
  }

  private static Market market(Map<String, List<String>> entry, String where) {
    String market = single(entry, "market", where);
    for (Market each : Market.values()) {
      if (each.toString().equals(market)) {
        return each;
      }
    }
    throw new BadInput(
        "%s: '%s' is not a market.".formatted(where, market),
        Suggestion.maybe(market, MARKETS, "Maybe spot or on-demand."));
  }

  private static Quota.Unit unit(Map<String, List<String>> entry, String where) {
    List<Quota.Unit> units = new ArrayList<>();
    for (Quota.Unit unit : Quota.Unit.values()) {
      if (entry.containsKey(key(unit))) {
        units.add(unit);
      }
    }
    if (units.size() != 1) {
      throw new BadInput(
          "%s: a quota needs exactly one of vcpus, gpus and nodes, and this has %d."
              .formatted(where, units.size()),
          EXAMPLE);
    }
    return units.get(0);
  }

  /** Returns the key that states a limit in the unit. */
  public static String key(Quota.Unit unit) {
    return unit.name().toLowerCase(Locale.ROOT);
  }

  private static String single(Map<String, List<String>> entry, String key, String where) {
    List<String> values = entry.getOrDefault(key, List.of());
    if (values.size() != 1) {
      throw new BadInput("%s: the quota needs one %s.".formatted(where, key), EXAMPLE);
    }
    return values.get(0);
  }

  private static long limit(String text, String where) {
    long limit = -1;
    try {
      limit = Long.parseLong(text);
    } catch (NumberFormatException e) {
      // said below
    }
    if (limit < 0) {
      throw new BadInput(
          "%s: the limit '%s' is not a whole number of zero or more.".formatted(where, text),
          "Maybe leave the quota out where there is no limit.");
    }
    return limit;
  }
}

package io.deepvm.catalog;

import java.time.LocalDate;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * When the prices of a catalog were read.
 *
 * @param usual the day for all clouds that have no date of their own; null where it is unknown
 * @param own the dates of single clouds, by the cloud's name
 */
public record PriceDates(@Nullable LocalDate usual, Map<String, PriceDate> own, Use use) {

  /** What the prices are for. */
  public enum Use {
    /** To rent by: the older they are, the less they say. */
    RENTING,
    /** To reproduce a result of the past: they are old on purpose. */
    HISTORY
  }

  public PriceDates {
    own = Collections.unmodifiableMap(new TreeMap<>(own));
  }

  /** Returns one day for all clouds, or none. */
  public static PriceDates of(@Nullable LocalDate day) {
    return new PriceDates(day, Map.of(), Use.RENTING);
  }

  /** Returns the dates of prices that are old on purpose. */
  public PriceDates forHistory() {
    return new PriceDates(usual, own, Use.HISTORY);
  }

  /** Returns the date of a cloud's prices, or null where it is unknown. */
  public @Nullable PriceDate of(String cloud) {
    PriceDate date = own.get(cloud);
    return date != null ? date : usual == null ? null : PriceDate.of(usual);
  }

  /**
   * Returns the dates of several catalogs as one. The usual day is the newest, and unknown where
   * one of them has none. A cloud that is in several has the older of its dates.
   */
  public static PriceDates merged(Collection<Catalog> parts) {
    List<LocalDate> days = parts.stream().map(Catalog::asOf).filter(Objects::nonNull).toList();
    LocalDate usual =
        days.size() < parts.size() ? null : days.stream().max(LocalDate::compareTo).orElse(null);
    Map<String, PriceDate> own = new TreeMap<>();
    boolean past = !parts.isEmpty();
    for (Catalog part : parts) {
      past &= part.dates().use() == Use.HISTORY;
      for (String cloud : part.clouds()) {
        PriceDate date = part.dates().of(cloud);
        if (date != null) {
          own.merge(cloud, date, (a, b) -> a.latest().isBefore(b.latest()) ? a : b);
        }
      }
    }
    own.values().removeIf(date -> date.latest().equals(usual) && date.day() != null);
    return new PriceDates(usual, own, past ? Use.HISTORY : Use.RENTING);
  }
}

package io.deepvm.market.samples;

import io.deepvm.catalog.csv.CsvRow;
import io.deepvm.market.Trace;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;

/** Times and counts as tables write them. */
public final class Times {

  private static final int MOST_NODES = 1_000_000;

  private Times() {}

  /**
   * Returns a time with its offset from UTC; without one it is refused, because it says no time.
   */
  public static long nanos(CsvRow row, int column) {
    String text = row.requiredText(column);
    try {
      return Samples.nanos(instant(text));
    } catch (DateTimeException | ArithmeticException e) {
      throw row.failure(
          column,
          "'%s' is not a time with its offset.".formatted(text),
          "Maybe write it like 2025-10-03T17:10:00-07:00 or 2025-10-04T00:10:00Z.");
    }
  }

  /** Reads a time with its offset. */
  public static Instant instant(String text) {
    return text.endsWith("Z") && text.length() >= 20
        ? Instant.parse(text)
        : OffsetDateTime.parse(text).toInstant();
  }

  /** Returns a number of nodes; an empty field is a gap. */
  public static int count(CsvRow row, int column) {
    Double number = row.number(column);
    if (number == null) {
      return Trace.UNKNOWN;
    }
    if (number != Math.rint(number) || number > MOST_NODES) {
      throw row.failure(
          column,
          "'%s' is no number of nodes.".formatted(row.text(column)),
          "Maybe leave the field empty where nothing was recorded.");
    }
    return number.intValue();
  }
}

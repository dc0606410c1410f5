package io.deepvm.catalog;

import io.deepvm.base.BadInput;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.YearMonth;
import org.jspecify.annotations.Nullable;

/**
 * The day prices were read, or the month where only that is known.
 *
 * @param day null where only the month is known
 */
public record PriceDate(YearMonth month, @Nullable LocalDate day) {

  /** Returns a known day. */
  public static PriceDate of(LocalDate day) {
    return new PriceDate(YearMonth.from(day), day);
  }

  /** Reads {@code 2026-08-22} or {@code 2026-08}. */
  public static PriceDate parse(String text) {
    try {
      return text.length() > "2026-08".length()
          ? of(LocalDate.parse(text))
          : new PriceDate(YearMonth.parse(text), null);
    } catch (DateTimeException e) {
      throw new BadInput(
          "'%s' is not a date.".formatted(text),
          "Maybe write it like 2026-08-22, or 2026-08 where the day is not known.");
    }
  }

  /** Returns the day, or the last day of the month: the prices are at least as old. */
  public LocalDate latest() {
    return day == null ? month.atEndOfMonth() : day;
  }

  @Override
  public String toString() {
    return day == null ? month.toString() : day.toString();
  }
}

package io.deepvm.catalog.csv;

import de.siegmar.fastcsv.reader.CsvRecord;
import io.deepvm.base.BadInput;
import io.deepvm.base.CsvCell;
import io.deepvm.base.Money;
import org.jspecify.annotations.Nullable;

/** One row of a table; an empty or absent field reads as unknown. */
public final class CsvRow {

  private static final int MICRO_DECIMALS = 6;
  private static final int SAFE_DIGITS = 12;

  private final CsvTable table;
  private final CsvRecord record;

  CsvRow(CsvTable table, CsvRecord record) {
    this.table = table;
    this.record = record;
  }

  /** Returns the line the row starts on. */
  public long line() {
    return record.getStartingLineNumber();
  }

  /** Returns the field without spaces around it; empty when the file has no such column. */
  public String text(int column) {
    if (column == CsvTable.ABSENT) {
      return "";
    }
    String text = record.getField(column).strip();
    if (text.indexOf('\n') >= 0) {
      throw table.unclosedQuote(line());
    }
    return CsvCell.read(text);
  }

  /** Returns a field that must not be empty. */
  public String requiredText(int column) {
    String text = text(column);
    if (text.isEmpty()) {
      throw failure(column, "the field is empty.", "Maybe the row is cut short.");
    }
    return text;
  }

  /** Returns a number of zero or more, or null when the field is empty. */
  public @Nullable Double number(int column) {
    Double number = anyNumber(column);
    if (number != null && number < 0) {
      throw failure(
          column,
          "'%s' is negative.".formatted(text(column)),
          "Maybe leave the field empty where the value is unknown.");
    }
    return number;
  }

  /** Returns a finite number, or null when the field is empty. */
  public @Nullable Double anyNumber(int column) {
    String text = text(column);
    if (text.isEmpty()) {
      return null;
    }
    double number;
    try {
      number = Double.parseDouble(text);
    } catch (NumberFormatException e) {
      number = Double.NaN;
    }
    // Java also takes "1f", "0x1p3" and "Infinity" for numbers.
    if (!Double.isFinite(number) || !Character.isDigit(text.charAt(text.length() - 1))) {
      throw failure(
          column,
          "'%s' is not a number.".formatted(text),
          "Maybe leave the field empty where the value is unknown.");
    }
    return number;
  }

  /** Returns a price of zero or more, rounded to micro-dollars, or null when the field is empty. */
  public @Nullable Money price(int column) {
    String text = text(column);
    if (text.isEmpty()) {
      return null;
    }
    long micros = plainMicros(text);
    Money price = micros >= 0 ? new Money(micros) : unusualPrice(column, text);
    if (price.micros() < 0) {
      throw failure(
          column,
          "the price '%s' is negative.".formatted(text),
          "Maybe leave the field empty where the machine is not offered.");
    }
    return price;
  }

  private Money unusualPrice(int column, String text) {
    try {
      return Money.parse(text);
    } catch (BadInput e) {
      throw failure(
          column,
          "'%s' is not a price.".formatted(text),
          "Maybe leave the field empty where the machine is not offered.");
    }
  }

  /** Returns plain decimals such as "0.1578" in micro-dollars, or -1 for anything less plain. */
  static long plainMicros(String text) {
    long value = 0;
    int decimals = -1;
    if (text.length() > SAFE_DIGITS + 1 || text.charAt(0) == '.') {
      return -1;
    }
    for (int i = 0; i < text.length(); i++) {
      char character = text.charAt(i);
      if (character == '.' && decimals < 0) {
        decimals = 0;
      } else if (character >= '0' && character <= '9' && decimals < MICRO_DECIMALS) {
        value = value * 10 + (character - '0');
        decimals += decimals < 0 ? 0 : 1;
      } else {
        return -1;
      }
    }
    for (int i = Math.max(decimals, 0); i < MICRO_DECIMALS; i++) {
      value *= 10;
    }
    return value;
  }

  /** Returns the error for a field, naming file, line and column. */
  public BadInput failure(int column, String problem, String wayOut) {
    return table.failure(line(), column, problem, wayOut);
  }
}

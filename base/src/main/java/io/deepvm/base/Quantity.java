package io.deepvm.base;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads "12.5 GB"-like texts: a non-negative number and a unit. */
final class Quantity {

  private static final Pattern NUMBER_AND_UNIT =
      Pattern.compile("([0-9]*\\.?[0-9]+(?:[eE][+-]?[0-9]{1,3})?)\\s*([A-Za-z/]*)");

  private Quantity() {}

  /**
   * Returns the whole number of base units, rounding down; unit names are matched in lower case.
   */
  static long parse(String text, String what, Map<String, BigDecimal> units, String example) {
    Matcher match = NUMBER_AND_UNIT.matcher(text.strip());
    String wayOut = "Maybe write it like %s.".formatted(example);
    if (!match.matches()) {
      throw new BadInput("'%s' is not a %s.".formatted(text, what), wayOut);
    }
    BigDecimal unit = units.get(match.group(2).toLowerCase(Locale.ROOT));
    if (unit == null) {
      String problem =
          match.group(2).isEmpty()
              ? "'%s' has no unit.".formatted(text)
              : "'%s' in '%s' is not a unit of %s.".formatted(match.group(2), text, what);
      throw new BadInput(problem, wayOut);
    }
    try {
      return new BigDecimal(match.group(1))
          .multiply(unit)
          .setScale(0, RoundingMode.DOWN)
          .longValueExact();
    } catch (ArithmeticException e) {
      throw new BadInput("The %s '%s' is too large.".formatted(what, text), wayOut);
    }
  }

  /** Prints a number with up to two decimals, none of them a trailing zero. */
  static String print(double value) {
    return BigDecimal.valueOf(value)
        .setScale(2, RoundingMode.HALF_EVEN)
        .stripTrailingZeros()
        .toPlainString();
  }
}

package io.deepvm.base;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;

/** Numbers as people read them. */
public final class Numbers {

  private static final String[] PREFIXES = {"", "k", "M", "G", "T", "P", "E", "Z", "Y"};

  private Numbers() {}

  /** Prints three significant digits, without an exponent where that is readable. */
  public static String print(double value) {
    return print(value, 3);
  }

  /** Prints this many significant digits, without an exponent where that is readable. */
  public static String print(double value, int digits) {
    if (value == 0 || !Double.isFinite(value)) {
      return value == 0 ? "0" : String.valueOf(value);
    }
    double size = Math.abs(value);
    if (size >= 1e6 || size < 1e-3) {
      return String.format(Locale.ROOT, "%." + (digits - 1) + "e", value);
    }
    int decimals = Math.max(0, digits - 1 - (int) Math.floor(Math.log10(size)));
    BigDecimal rounded = BigDecimal.valueOf(value).setScale(decimals, RoundingMode.HALF_EVEN);
    return (decimals > 0 ? rounded.stripTrailingZeros() : rounded).toPlainString();
  }

  /** Prints with the largest fitting prefix before the unit: "65 TFLOPS". */
  public static String scaled(double value, String unit) {
    int prefix = 0;
    double scaled = value;
    // 999.5 would be rounded to 1000 of the smaller unit
    while (Math.abs(scaled) >= 999.5 && prefix < PREFIXES.length - 1) {
      scaled /= 1000;
      prefix++;
    }
    return print(scaled) + " " + PREFIXES[prefix] + unit;
  }

  /** Prints a share as a percentage: 0.0231 is "2.3 %". */
  public static String percent(double share) {
    double percent = share * 100;
    if (!Double.isFinite(percent)) {
      return "everything"; // such as the gain over nothing
    }
    boolean tiny = percent != 0 && Math.abs(percent) < 0.1;
    return print(tiny ? percent : Math.round(percent * 10) / 10.0, tiny ? 2 : 3) + " %";
  }
}

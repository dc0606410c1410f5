package io.deepvm.planner;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;

/** Numbers as the planner's sentences show them. */
final class Printing {

  private Printing() {}

  /** Three significant digits, plain when that reads well: 15.9, 0.21, 1.45e+08. */
  static String number(double value) {
    if (!Double.isFinite(value)) {
      return "infinitely many";
    }
    double size = Math.abs(value);
    if (size != 0 && (size < 1e-3 || size >= 1e6)) {
      return String.format(Locale.ROOT, "%.3g", value);
    }
    int decimals = size >= 100 ? 0 : size >= 10 ? 1 : 2;
    return BigDecimal.valueOf(value)
        .setScale(decimals, RoundingMode.HALF_EVEN)
        .stripTrailingZeros()
        .toPlainString();
  }

  /** A share as a percentage: 0.0231 is "2.3 %". */
  static String percent(double share) {
    double percent = share * 100;
    if (!Double.isFinite(percent)) {
      return "everything"; // such as the gain over a fit that says 0
    }
    return (Math.abs(percent) >= 0.1 || percent == 0
            ? number(BigDecimal.valueOf(percent).setScale(1, RoundingMode.HALF_EVEN).doubleValue())
            : String.format(Locale.ROOT, "%.2g", percent))
        + " %";
  }
}

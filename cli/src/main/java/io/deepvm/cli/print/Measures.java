package io.deepvm.cli.print;

import io.deepvm.base.Durations;
import io.deepvm.base.Numbers;

/** What was measured or could not be, as people read it; what could not be is a dash. */
final class Measures {

  private Measures() {}

  static String share(double share) {
    return Double.isNaN(share) ? "-" : Numbers.percent(share);
  }

  static String number(double value) {
    return Double.isNaN(value) ? "-" : Numbers.print(value);
  }

  static String hours(double hours) {
    return seconds(hours * 3600);
  }

  static String seconds(double seconds) {
    return Double.isFinite(seconds) ? Durations.print(Durations.ofSeconds(seconds)) : "-";
  }
}

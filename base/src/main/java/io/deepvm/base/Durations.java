package io.deepvm.base;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write and read them: "90s", "1h30m", "4 h 10 min". */
public final class Durations {

  private static final Map<String, Integer> SECONDS =
      Map.of("s", 1, "sec", 1, "m", 60, "min", 60, "h", 3600, "d", 86_400);
  private static final Pattern PART = Pattern.compile("([0-9]*\\.?[0-9]+)\\s*([a-z]+)\\s*");

  private Durations() {}

  /** Reads "90s", "10min", "8h", "1h30m", "2d". */
  public static Duration parse(String text) {
    String wayOut = "Maybe write it like 90s, 10min, 8h or 1h30m.";
    String rest = text.strip().toLowerCase(Locale.ROOT);
    if (rest.length() > 40 || rest.isEmpty()) {
      throw new BadInput("'%s' is not a duration.".formatted(text), wayOut);
    }
    BigDecimal millis = BigDecimal.ZERO;
    Matcher part = PART.matcher(rest);
    int end = 0;
    while (part.find() && part.start() == end && SECONDS.containsKey(part.group(2))) {
      int unitMillis = SECONDS.get(part.group(2)) * 1000;
      millis = millis.add(new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(unitMillis)));
      end = part.end();
    }
    if (end != rest.length() || millis.precision() - millis.scale() > 15) {
      throw new BadInput("'%s' is not a duration.".formatted(text), wayOut);
    }
    return Duration.ofMillis(millis.longValue());
  }

  /** Returns the duration nearest to this many seconds, however many they are. */
  public static Duration ofSeconds(double seconds) {
    return seconds > Long.MAX_VALUE / 2000.0
        ? Duration.ofSeconds(Long.MAX_VALUE / 2000)
        : Duration.ofMillis(Math.round(seconds * 1000));
  }

  /** Prints two leading units: "12 s", "4 h 10 min", "3 d 2 h". */
  public static String print(Duration duration) {
    if (duration.toMillis() < 60_000) {
      return Quantity.print(duration.toMillis() / 1000.0) + " s";
    }
    long seconds = Math.round(duration.toMillis() / 1000.0);
    if (seconds < 3600) {
      return join(seconds / 60, "min", seconds % 60, "s");
    }
    long minutes = Math.round(seconds / 60.0);
    if (minutes < 1440) {
      return join(minutes / 60, "h", minutes % 60, "min");
    }
    long hours = Math.round(minutes / 60.0);
    return join(hours / 24, "d", hours % 24, "h");
  }

  /** Prints a time that is still enough after its small units are dropped. */
  public static String printEnough(double seconds) {
    double unit = seconds < 3600 ? 1 : seconds < 86_400 ? 60 : 3600;
    return print(ofSeconds(Math.ceil(seconds / unit) * unit));
  }

  private static String join(long large, String largeUnit, long small, String smallUnit) {
    String text = large + " " + largeUnit;
    return small == 0 ? text : text + " " + small + " " + smallUnit;
  }
}

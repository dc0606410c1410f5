package io.deepvm.cli.options;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.base.Durations;
import io.deepvm.base.HostPort;
import io.deepvm.base.Money;
import io.deepvm.base.Suggestion;
import io.deepvm.catalog.Exclusion;
import io.deepvm.catalog.GpuFilter;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.catalog.Precision;
import io.deepvm.checkpoint.Behind;
import io.deepvm.cli.print.Format;
import io.deepvm.cli.print.Metric;
import io.deepvm.cli.print.OfferOrder;
import io.deepvm.cluster.output.LogRanks;
import io.deepvm.market.GapRule;
import io.deepvm.market.Polarity;
import io.deepvm.planner.AnchorMemory;
import io.deepvm.planner.Objective;
import io.deepvm.transport.Role;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;

/** How the values of options are read. */
public final class Values {

  private Values() {}

  public static void register(CommandLine commands) {
    commands
        .registerConverter(Double.class, Values::number)
        .registerConverter(double.class, Values::number)
        .registerConverter(Long.class, t -> whole(t, Long.MIN_VALUE, Long.MAX_VALUE))
        .registerConverter(long.class, t -> whole(t, Long.MIN_VALUE, Long.MAX_VALUE))
        .registerConverter(Integer.class, t -> (int) whole(t, 0, Integer.MAX_VALUE))
        .registerConverter(int.class, t -> (int) whole(t, 0, Integer.MAX_VALUE))
        .registerConverter(Money.class, Values::amount)
        .registerConverter(DataSize.class, t -> some(t, DataSize.parse(t), DataSize::bytes))
        .registerConverter(
            Bandwidth.class, t -> some(t, Bandwidth.parse(t), Bandwidth::bitsPerSecond))
        .registerConverter(InetSocketAddress.class, Values::address)
        .registerConverter(Duration.class, t -> some(t, Durations.parse(t), Duration::toMillis))
        .registerConverter(Behind.class, Values::behind)
        .registerConverter(Role.class, t -> choice("role", t, Role.values()))
        .registerConverter(PlaceFilter.class, PlaceFilter::new)
        .registerConverter(GpuFilter.class, GpuFilter::new)
        .registerConverter(Exclusion.class, Exclusion::new)
        .registerConverter(Objective.class, t -> choice("objective", t, Objective.values()))
        .registerConverter(AnchorMemory.class, t -> choice("rule", t, AnchorMemory.values()))
        .registerConverter(Precision.class, t -> choice("precision", t, Precision.values()))
        .registerConverter(Market.class, t -> choice("market", t, Market.values()))
        .registerConverter(Draw.class, t -> choice("way to draw", t, Draw.values()))
        .registerConverter(
            DependenceRule.class, t -> choice("dependence", t, DependenceRule.values()))
        .registerConverter(GapRule.class, t -> choice("rule", t, GapRule.values()))
        .registerConverter(Format.class, t -> choice("format", t, Format.values()))
        .registerConverter(LogRanks.class, t -> choice("choice of logs", t, LogRanks.values()))
        .registerConverter(Metric.class, t -> choice("metric", t, Metric.values()))
        .registerConverter(Polarity.class, t -> choice("polarity", t, Polarity.values()))
        .registerConverter(Instant.class, Values::time)
        .registerConverter(LocalDate.class, Values::date)
        .registerConverter(WorkerMarkets.class, t -> choice("market", t, WorkerMarkets.values()))
        .registerConverter(Shell.class, t -> choice("shell", t, Shell.values()))
        .registerConverter(Compat.class, t -> choice("original", t, Compat.values()))
        .registerConverter(
            OfferOrder.class, t -> choice("column to sort by", t, OfferOrder.values()));
  }

  /** A whole number from 1 up. */
  public static final class Count implements ITypeConverter<Integer> {

    @Override
    public Integer convert(String text) {
      return (int) whole(text, 1, Integer.MAX_VALUE);
    }
  }

  /** A duration that may be none. */
  public static final class OrNone implements ITypeConverter<Duration> {

    @Override
    public Duration convert(String text) {
      return Durations.parse(text);
    }
  }

  private static double number(String text) {
    try {
      double value = Double.parseDouble(text);
      if (Double.isFinite(value)) {
        return value;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new BadInput("'%s' is not a number.".formatted(text), "Maybe write it like 0.5.");
  }

  private static long whole(String text, long least, long most) {
    try {
      long value = Long.parseLong(text);
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new BadInput(
        "'%s' is not a whole number%s."
            .formatted(text, least < 0 ? "" : " from %d to %d".formatted(least, most)),
        "Maybe write it like 3.");
  }

  private static Money amount(String text) {
    Money amount = Money.parse(text);
    if (amount.compareTo(Money.ZERO) < 0) {
      throw new BadInput("%s is less than nothing.".formatted(amount), "Maybe a sign slipped in.");
    }
    return amount;
  }

  /** Refuses an amount of nothing, with which nothing can be done. */
  private static <T> T some(String text, T value, ToLongFunction<T> size) {
    if (size.applyAsLong(value) == 0) {
      throw new BadInput("'%s' is not above 0.".formatted(text), "Maybe a digit is missing.");
    }
    return value;
  }

  /** Returns a whole number that was measured, or refuses it. */
  public static int whole(String what, double value) {
    if (value != Math.rint(value) || value < 1 || value > 1e6) {
      throw new BadInput(
          "%s %s are not a whole number of them.".formatted(value, what),
          "Maybe the columns are swapped.");
    }
    return (int) value;
  }

  private static Behind behind(String text) {
    List<String> known =
        Arrays.stream(Behind.values()).map(b -> b.name().toLowerCase(Locale.ROOT)).toList();
    choice("rule", text, known.toArray());
    return Behind.valueOf(text.strip().toUpperCase(Locale.ROOT));
  }

  /** Returns the address of HOST:PORT. */
  public static InetSocketAddress address(String text) {
    return HostPort.parse(text).resolved();
  }

  /** Returns the text if it is HOST:PORT, or several with commas between, to connect to. */
  static String addresses(String text) {
    for (String one : text.split(",", -1)) {
      if (address(one).getPort() == 0) {
        throw new BadInput(
            "Nobody listens on port 0, as '%s' says.".formatted(one),
            "Maybe write it like 127.0.0.1:2181.");
      }
    }
    return text;
  }

  private static LocalDate date(String text) {
    try {
      return LocalDate.parse(text.strip());
    } catch (DateTimeParseException e) {
      throw new BadInput("'%s' is not a day.".formatted(text), "Maybe write it like 2026-08-22.");
    }
  }

  private static Instant time(String text) {
    try {
      return OffsetDateTime.parse(text.strip()).toInstant();
    } catch (DateTimeParseException e) {
      throw new BadInput(
          "'%s' is not a time with its offset.".formatted(text),
          "Maybe write it like 2023-02-15T22:08:16Z.");
    }
  }

  /** Returns the value that prints like the text, in any case. */
  public static <E> E choice(String what, String text, E[] values) {
    for (E value : values) {
      if (value.toString().equals(text.strip().toLowerCase(Locale.ROOT))) {
        return value;
      }
    }
    List<String> known = Arrays.stream(values).map(Object::toString).toList();
    throw new BadInput(
        "There is no %s '%s', only %s.".formatted(what, text, String.join(", ", known)),
        Suggestion.maybe(text, known, "Maybe leave the option out."));
  }

  /** Reads how much faster than real time passes, as 60 or 60x. */
  public static double speed(String text) {
    String digits = text.endsWith("x") ? text.substring(0, text.length() - 1) : text;
    try {
      double speed = Double.parseDouble(digits);
      if (speed > 0 && speed < Double.POSITIVE_INFINITY) {
        return speed;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new BadInput(
        "The speed '%s' is not a number above 0.".formatted(text), "Maybe write --speed 60x.");
  }
}

package io.deepvm.market.json;

import com.fasterxml.jackson.core.JsonToken;
import io.deepvm.base.BadInput;
import io.deepvm.base.TextSource;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.json.Tokens;
import io.deepvm.market.Polarity;
import io.deepvm.market.Pool;
import io.deepvm.market.ReadOptions;
import io.deepvm.market.Recording;
import io.deepvm.market.Trace;
import io.deepvm.market.Zones;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * A file of {@code {"metadata": {"gap_seconds": ...}, "data": [...], "prices": [...]}}. Whether 1
 * is up or down, the shape does not say.
 *
 * @param metadata every plain value, inner objects' under "outer.inner"
 * @param data NaN where it was null
 */
public record TraceJson(
    TextSource source, Map<String, String> metadata, double[] data, double[] prices) {

  private static final Pattern NODES = Pattern.compile("([0-9]{1,6})-node");
  private static final double MOST_COUNT = 1e6;

  /** Reads the file. */
  public static TraceJson read(TextSource source) {
    Map<String, String> metadata = new HashMap<>();
    double[] data = null;
    double[] prices = new double[0];
    try (Tokens tokens = Tokens.json(source)) {
      tokens.require(JsonToken.START_OBJECT, "an object");
      for (String key = tokens.nextKey(List.of()); key != null; key = tokens.nextKey(List.of())) {
        tokens.next();
        switch (key) {
          case "metadata" -> values(tokens, "", metadata);
          case "data" -> data = numbers(tokens, "data");
          case "prices" -> prices = numbers(tokens, "prices");
          default -> values(tokens, key, new HashMap<>());
        }
      }
    }
    if (data == null) {
      throw new BadInput(
          "%s has no list 'data'.".formatted(source.label()), "Maybe it is no trace.");
    }
    return new TraceJson(source, metadata, data, prices);
  }

  private static double[] numbers(Tokens tokens, String what) {
    tokens.require(JsonToken.START_ARRAY, "a list of numbers for '%s'".formatted(what));
    DoubleStream.Builder numbers = DoubleStream.builder();
    for (JsonToken token = tokens.next(); token != JsonToken.END_ARRAY; token = tokens.next()) {
      double number = token == JsonToken.VALUE_NULL ? Double.NaN : -1;
      if (token != null && token.isNumeric()) {
        number = Double.parseDouble(tokens.text());
      }
      if (number < 0 || Double.isInfinite(number)) {
        throw tokens.failure(
            "'%s' should be a number of zero or more in %s.".formatted(tokens.text(), what),
            "Maybe write null where nothing was recorded.");
      }
      numbers.add(number);
    }
    return numbers.build().toArray();
  }

  private static void values(Tokens tokens, String path, Map<String, String> into) {
    JsonToken token = tokens.current();
    if (token == JsonToken.START_OBJECT) {
      for (String key = tokens.nextKey(List.of()); key != null; key = tokens.nextKey(List.of())) {
        tokens.next();
        values(tokens, path.isEmpty() ? key : path + "." + key, into);
      }
    } else if (token == JsonToken.START_ARRAY) {
      for (JsonToken inner = tokens.next(); inner != JsonToken.END_ARRAY; inner = tokens.next()) {
        values(tokens, path, new HashMap<>());
      }
    } else if (token == null) {
      tokens.require(JsonToken.END_OBJECT, "the rest of the object");
    } else if (token != JsonToken.VALUE_NULL) {
      into.put(path, tokens.text());
    }
  }

  /** Whether something is counted, so that the numbers cannot mean preempted or not. */
  public boolean counts() {
    return Arrays.stream(data).anyMatch(number -> number > 1);
  }

  /** Returns the trace; the name is that of a file like us-east-1a_v100_1. */
  public Recording recording(String name, Polarity polarity, ReadOptions options, String why) {
    List<String> assumptions = new ArrayList<>();
    assumptions.add(
        "1 means %s: %s."
            .formatted(polarity == Polarity.AVAILABLE ? "an available node" : "preempted", why));
    String filled = metadata.get("gap_filled.gap_points");
    if (filled != null) {
      assumptions.add(
          "The source itself filled %s ticks in a gap, which stay as they are.".formatted(filled));
    }
    int[] available = available(polarity);
    Pool pool = pool(name, options, assumptions);
    Trace trace =
        new Trace(
            pool,
            start(assumptions),
            tick(),
            available,
            asked(available, options, assumptions),
            prices(available.length),
            number("price_info.on_demand_price"));
    return new Recording(name, "the file " + source.label(), "", List.of(trace), assumptions);
  }

  private int[] available(Polarity polarity) {
    int[] available = new int[data.length];
    for (int i = 0; i < data.length; i++) {
      double number = data[i];
      double most = polarity == Polarity.PREEMPTED ? 1 : MOST_COUNT;
      if (number > most || (number != Math.rint(number) && !Double.isNaN(number))) {
        throw new BadInput(
            "%s has %s at tick %d, but %s."
                .formatted(
                    source.label(),
                    number,
                    i,
                    polarity == Polarity.PREEMPTED
                        ? "preempted or not is 1 or 0"
                        : "nodes are counted in whole numbers up to a million"),
            "Maybe its polarity is another.");
      }
      available[i] =
          Double.isNaN(number)
              ? Trace.UNKNOWN
              : polarity == Polarity.PREEMPTED ? 1 - (int) number : (int) number;
    }
    return available;
  }

  private Pool pool(String name, ReadOptions options, List<String> assumptions) {
    int bar = name.indexOf('_');
    String device = bar < 0 ? "" : name.substring(bar + 1);
    Place place = Zones.ofZone(bar < 0 ? name : name.substring(0, bar));
    String type = options.instanceType();
    if (type == null) {
      type =
          metadata.getOrDefault(
              "price_info.instance_type", metadata.get("price_info.machine_type"));
    }
    if (type == null) {
      type = Zones.instanceType(place.cloud(), device);
      assumptions.add(
          type == null
              ? "'%s' is no machine we know by that name, so it stays as it is written."
                  .formatted(device)
              : "%s on %s is %s.".formatted(device, place.cloud(), type));
    }
    if (type == null && device.isEmpty()) {
      throw new BadInput(
          "%s does not say what kind of machine it is of.".formatted(source.label()),
          "Maybe state --instance-type, or name it like us-east-1a_v100_1.json.");
    }
    return new Pool(place, type == null ? device : type);
  }

  private Duration tick() {
    Double seconds = number("gap_seconds");
    if (seconds == null || seconds <= 0 || seconds > 1e9) {
      throw new BadInput(
          "%s does not say how many seconds lie between two samples.".formatted(source.label()),
          "Maybe its metadata lack gap_seconds.");
    }
    return Duration.ofNanos(Math.round(seconds * 1e9));
  }

  private @Nullable Instant start(List<String> assumptions) {
    String text = metadata.get("start_time");
    if (text == null) {
      return null;
    }
    try {
      return OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException withoutOffset) {
      try {
        Instant start = LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
        assumptions.add("Times without an offset are UTC.");
        return start;
      } catch (DateTimeException e) {
        throw new BadInput(
            "%s starts at '%s', which is no time.".formatted(source.label(), text),
            "Maybe write it like 2023-02-15T22:08:16Z.");
      }
    }
  }

  // Where folders say how many were asked for, they are called like "16-node".
  private int asked(int[] available, ReadOptions options, List<String> assumptions) {
    Integer stated = options.asked();
    if (stated != null) {
      return stated;
    }
    int most = Math.max(1, Arrays.stream(available).max().orElse(1));
    Matcher folder = NODES.matcher(source.label());
    if (folder.find() && Integer.parseInt(folder.group(1)) >= most) {
      return Integer.parseInt(folder.group(1));
    }
    if (most > 1) {
      assumptions.add("As many nodes were asked for as were ever seen.");
    }
    return most;
  }

  private double[] prices(int ticks) {
    Double constant = number("price_info.price");
    if (prices.length > 0 || constant == null) {
      return prices;
    }
    double[] same = new double[ticks];
    Arrays.fill(same, constant);
    return same;
  }

  private @Nullable Double number(String key) {
    String text = metadata.get(key);
    try {
      return text == null ? null : Double.valueOf(text);
    } catch (NumberFormatException e) {
      throw new BadInput(
          "%s has '%s' for %s, which is not a number.".formatted(source.label(), text, key),
          "Maybe leave the key out.");
    }
  }
}

package io.deepvm.market.own;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import io.deepvm.base.TextSource;
import io.deepvm.catalog.csv.CsvRow;
import io.deepvm.catalog.csv.CsvTable;
import io.deepvm.market.Pool;
import io.deepvm.market.ReadOptions;
import io.deepvm.market.Recording;
import io.deepvm.market.Trace;
import io.deepvm.market.TraceFormat;
import io.deepvm.market.Zones;
import io.deepvm.market.samples.Samples;
import io.deepvm.market.samples.Times;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Our own CSV: a row says what was seen of a pool at a time. Lines that begin with "#" above the
 * header may say more; none of them is needed.
 */
public final class OwnFormat implements TraceFormat {

  static final String FIRST_LINE = "# deepvm market v1";
  static final List<String> COLUMNS =
      List.of(
          "time",
          "place",
          "instance_type",
          "available",
          "asked",
          "spot_usd_per_hour",
          "on_demand_usd_per_hour");

  private static final List<String> KEYS = List.of("name", "source", "licence", "tick-seconds");
  private static final BigDecimal MOST_SECONDS = new BigDecimal("4e9");

  @Override
  public String name() {
    return "deepvm";
  }

  @Override
  public boolean recognises(String opening) {
    return opening.startsWith("# deepvm market")
        || opening
            .lines()
            .filter(line -> !line.startsWith("#"))
            .findFirst()
            .map(header -> header.contains("place") && header.contains("instance_type"))
            .orElse(false);
  }

  /** Writes a recording, gzipped when the name ends in .gz. */
  public static void write(Recording recording, Path file) {
    OwnWriter.write(recording, file);
  }

  @Override
  public Recording read(TextSource source, ReadOptions options) {
    try (CsvTable table = CsvTable.open(source)) {
      Map<String, String> heading = heading(source, table);
      Map<Pool, Samples> pools = new Rows(source, table).read();
      Duration tick = tick(source, heading.get("tick-seconds"), pools, options);
      Integer asked = options.asked();
      List<Trace> traces = new ArrayList<>();
      List<String> assumptions = new ArrayList<>();
      for (Samples samples : pools.values()) {
        if (asked != null) {
          samples.askedFor(asked);
        }
        traces.add(samples.trace(tick));
      }
      int crowded = pools.values().stream().mapToInt(Samples::crowded).sum();
      if (crowded > 0) {
        assumptions.add(
            "Of several rows in one tick the last holds; %d gave way.".formatted(crowded));
      }
      if (pools.values().stream().anyMatch(Samples::onDemandMoved)) {
        assumptions.add("Of several on-demand prices of a pool the last one holds.");
      }
      if (!heading.containsKey("tick-seconds")) {
        assumptions.add("One tick is %s s.".formatted(tick.toNanos() / 1e9));
      }
      return new Recording(
          heading.getOrDefault("name", source.stem()),
          heading.getOrDefault("source", "the file " + source.label()),
          heading.getOrDefault("licence", ""),
          traces,
          pools.values().stream().map(samples -> samples.prices(tick)).toList(),
          assumptions);
    }
  }

  private static Map<String, String> heading(TextSource source, CsvTable table) {
    Map<String, String> heading = new HashMap<>();
    // Our keys count only below our own first line; elsewhere they are comments.
    boolean strict =
        !table.comments().isEmpty()
            && ("#" + table.comments().get(0).text()).strip().equals(FIRST_LINE);
    for (CsvTable.Comment comment : table.comments()) {
      String line = ("#" + comment.text()).strip();
      int colon = comment.text().indexOf(':');
      String key = colon < 0 ? "" : comment.text().substring(0, colon).strip();
      if (line.startsWith("# deepvm market") && !line.equals(FIRST_LINE)) {
        throw new BadInput(
            "%s, line %d: '%s' is a version we do not know."
                .formatted(source.label(), comment.line(), line),
            "Maybe update deepvm; this one reads '%s'.".formatted(FIRST_LINE));
      }
      if (KEYS.contains(key)) {
        heading.put(key, comment.text().substring(colon + 1).strip());
      } else if (strict && !line.equals(FIRST_LINE)) {
        throw new BadInput(
            "%s, line %d: '%s' is not known above the table."
                .formatted(source.label(), comment.line(), line),
            Suggestion.maybe(key, KEYS, "Maybe use one of %s.".formatted(String.join(", ", KEYS))));
      }
    }
    return heading;
  }

  private static Duration tick(
      TextSource source, @Nullable String stated, Map<Pool, Samples> pools, ReadOptions options) {
    if (stated != null) {
      return Duration.ofNanos(seconds(source.label(), stated));
    }
    if (options.tick() != null) {
      return options.tick();
    }
    return pools.values().stream()
        .map(Samples::usualStep)
        .filter(step -> step != null)
        .min(Duration::compareTo)
        .orElseThrow(
            () ->
                new BadInput(
                    "%s has no pool with two rows, so its tick is unknown."
                        .formatted(source.label()),
                    "Maybe add a line '# tick-seconds: 600' at its top, or state --tick."));
  }

  private static long seconds(String where, String text) {
    try {
      BigDecimal seconds = text.length() > 30 ? BigDecimal.ZERO : new BigDecimal(text);
      if (seconds.signum() > 0 && seconds.compareTo(MOST_SECONDS) < 0) {
        return seconds.movePointRight(9).longValueExact();
      }
    } catch (ArithmeticException | NumberFormatException e) {
      // said below
    }
    throw new BadInput(
        "%s: '%s' is no number of seconds.".formatted(where, text),
        "Maybe write it like 600, with at most nine decimals.");
  }

  /** The rows of one file, gathered by pool. */
  private static final class Rows {

    private final TextSource source;
    private final CsvTable table;
    private final int time;
    private final int place;
    private final int type;
    private final int available;
    private final int asked;
    private final int spot;
    private final int onDemand;
    private final Map<String, Map<String, Samples>> byName = new HashMap<>();
    private final Map<Pool, Samples> pools = new LinkedHashMap<>();

    Rows(TextSource source, CsvTable table) {
      this.source = source;
      this.table = table;
      for (String column : table.header()) {
        if (!COLUMNS.contains(column)) {
          throw new BadInput(
              "%s: the column '%s' is not known.".formatted(source.label(), column),
              Suggestion.maybe(
                  column, COLUMNS, "Maybe remove it; known are " + String.join(", ", COLUMNS)));
        }
      }
      time = table.requiredColumn("time");
      place = table.requiredColumn("place");
      type = table.requiredColumn("instance_type");
      available = table.requiredColumn("available");
      asked = table.column("asked");
      spot = table.column("spot_usd_per_hour");
      onDemand = table.column("on_demand_usd_per_hour");
    }

    Map<Pool, Samples> read() {
      for (CsvRow row = table.next(); row != null; row = table.next()) {
        String written = row.requiredText(time);
        boolean dated = written.indexOf('T') > 0;
        Samples samples = samples(row, dated);
        if (samples.dated() != dated) {
          throw row.failure(
              time,
              "'%s' is dated unlike the rows before it.".formatted(written),
              "Maybe give either times or seconds everywhere.");
        }
        Double price = row.number(spot);
        samples.add(
            dated ? Times.nanos(row, time) : undated(row, written),
            Times.count(row, available),
            price == null ? Double.NaN : price);
        samples.askedFor(asked == CsvTable.ABSENT ? 0 : Math.max(0, Times.count(row, asked)));
        Double stays = row.number(onDemand);
        if (stays != null) {
          samples.onDemand(stays);
        }
      }
      return pools;
    }

    private long undated(CsvRow row, String written) {
      try {
        BigDecimal seconds = new BigDecimal(written.length() > 30 ? "" : written);
        if (seconds.abs().compareTo(MOST_SECONDS) < 0) {
          return seconds.movePointRight(9).longValueExact();
        }
      } catch (ArithmeticException | NumberFormatException e) {
        // said below
      }
      throw row.failure(
          time,
          "'%s' is neither a time nor a number of seconds.".formatted(written),
          "Maybe write it like 2025-10-04T00:10:00Z, or 600 where the day is not known.");
    }

    private Samples samples(CsvRow row, boolean dated) {
      return byName
          .computeIfAbsent(row.requiredText(place), text -> new HashMap<>())
          .computeIfAbsent(row.requiredText(type), name -> begin(row, name, dated));
    }

    private Samples begin(CsvRow row, String name, boolean dated) {
      try {
        Pool pool = new Pool(Zones.parse(row.text(place)), name);
        return pools.computeIfAbsent(pool, p -> new Samples(p, source.label(), dated));
      } catch (BadInput e) {
        throw row.failure(place, String.valueOf(e.getMessage()), e.wayOut());
      }
    }
  }
}

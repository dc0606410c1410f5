package io.deepvm.market.pricehistory;

import io.deepvm.base.TextSource;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.csv.CsvRow;
import io.deepvm.catalog.csv.CsvTable;
import io.deepvm.market.Pool;
import io.deepvm.market.PriceHistory;
import io.deepvm.market.ReadOptions;
import io.deepvm.market.Recording;
import io.deepvm.market.TraceFormat;
import io.deepvm.market.samples.Times;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads AWS prices by zone id, sampled on change: no count of nodes is known. */
public final class PriceHistoryFormat implements TraceFormat {

  private static final Duration HALF_DAY = Duration.ofHours(12);

  @Override
  public String name() {
    return "price-history";
  }

  @Override
  public boolean recognises(String opening) {
    String header = opening.lines().findFirst().orElse("");
    return header.startsWith("time_utc,") && header.contains("spot_usd_h");
  }

  @Override
  public Recording read(TextSource source, ReadOptions options) {
    Duration tick = Objects.requireNonNullElse(options.tick(), HALF_DAY);
    PriceHistory history = history(source);
    return new Recording(
        source.stem(),
        "the file " + source.label(),
        "",
        history.traces(tick),
        history.courses(),
        List.of(
            "A price holds until the next sample of its pool; an empty one means not on offer.",
            "One tick is %s s.".formatted(tick.toNanos() / 1e9),
            "The on-demand price is the last one."));
  }

  /** Reads the samples as they are. */
  public static PriceHistory history(TextSource source) {
    Map<String, Map<String, Growing>> byName = new HashMap<>();
    Map<Pool, Growing> pools = new LinkedHashMap<>();
    try (CsvTable table = CsvTable.open(source)) {
      int time = table.requiredColumn("time_utc");
      int type = table.requiredColumn("instance_type");
      int zone = table.requiredColumn("zone_id");
      int region = table.requiredColumn("region");
      int onDemand = table.requiredColumn("on_demand_usd_h");
      int spot = table.requiredColumn("spot_usd_h");
      String lastText = "";
      long lastTime = 0;
      for (CsvRow row = table.next(); row != null; row = table.next()) {
        // Thousands of rows are of one time.
        String text = row.text(time);
        if (!text.equals(lastText)) {
          lastTime = Math.floorDiv(Times.nanos(row, time), 1_000_000_000L);
          lastText = text;
        }
        Map<String, Growing> zones =
            byName.computeIfAbsent(row.requiredText(type), t -> new HashMap<>());
        Growing growing = zones.get(row.requiredText(zone));
        if (growing == null) {
          Place place = new Place("aws", row.requiredText(region), row.text(zone));
          growing = pools.computeIfAbsent(new Pool(place, row.text(type)), pool -> new Growing());
          zones.put(row.text(zone), growing);
        }
        if (growing.size > 0 && lastTime < growing.times[growing.size - 1]) {
          throw row.failure(
              time,
              "'%s' is before the sample above it.".formatted(text),
              "Maybe sort the rows by time.");
        }
        growing.add(lastTime, orNan(row.number(spot)), orNan(row.number(onDemand)));
      }
    }
    return new PriceHistory(
        pools.entrySet().stream().map(entry -> entry.getValue().series(entry.getKey())).toList());
  }

  private static double orNan(@Nullable Double number) {
    return number == null ? Double.NaN : number;
  }

  private static final class Growing {

    private long[] times = new long[16];
    private double[] spot = new double[16];
    private double[] onDemand = new double[16];
    private int size;

    // Two versions of a price list may be of one minute: the later row holds, unless it is empty.
    void add(long time, double spotPrice, double onDemandPrice) {
      if (size > 0 && times[size - 1] == time) {
        spot[size - 1] = Double.isNaN(spotPrice) ? spot[size - 1] : spotPrice;
        onDemand[size - 1] = Double.isNaN(onDemandPrice) ? onDemand[size - 1] : onDemandPrice;
        return;
      }
      if (size == times.length) {
        times = Arrays.copyOf(times, size * 2);
        spot = Arrays.copyOf(spot, size * 2);
        onDemand = Arrays.copyOf(onDemand, size * 2);
      }
      times[size] = time;
      spot[size] = spotPrice;
      onDemand[size] = onDemandPrice;
      size++;
    }

    PriceHistory.Series series(Pool pool) {
      return new PriceHistory.Series(
          pool,
          Arrays.copyOf(times, size),
          Arrays.copyOf(spot, size),
          Arrays.copyOf(onDemand, size));
    }
  }
}

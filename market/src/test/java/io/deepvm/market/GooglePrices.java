package io.deepvm.market;

import io.deepvm.catalog.Place;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;

/**
 * Reads prices of Google's regions: {@code commit_time_utc,machine_type,region,hour,hour_spot}, one
 * row for each change.
 */
final class GooglePrices {

  private GooglePrices() {}

  static PriceHistory read(Path file) throws IOException {
    Map<String, List<String[]>> byPool = new TreeMap<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
      lines
          .lines()
          .skip(1)
          .map(line -> line.split(",", -1))
          .forEach(
              row ->
                  byPool.computeIfAbsent(row[1] + "," + row[2], key -> new ArrayList<>()).add(row));
    }
    return new PriceHistory(byPool.values().stream().map(GooglePrices::series).toList());
  }

  private static PriceHistory.Series series(List<String[]> rows) {
    TreeMap<Long, String[]> byTime = new TreeMap<>();
    rows.forEach(row -> byTime.put(Instant.parse(row[0]).getEpochSecond(), row));
    long[] times = byTime.keySet().stream().mapToLong(Long::longValue).toArray();
    double[] spot = byTime.values().stream().mapToDouble(row -> number(row[4])).toArray();
    double[] onDemand = byTime.values().stream().mapToDouble(row -> number(row[3])).toArray();
    String[] first = rows.get(0);
    return new PriceHistory.Series(
        new Pool(new Place("gcp", first[2], null), first[1]), times, spot, onDemand);
  }

  private static double number(String cell) {
    return cell.isEmpty() ? Double.NaN : Double.parseDouble(cell);
  }
}

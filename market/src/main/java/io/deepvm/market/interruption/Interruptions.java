package io.deepvm.market.interruption;

import io.deepvm.base.BadInput;
import io.deepvm.base.TextSource;
import io.deepvm.market.Pool;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Bands of interruption by pool, as a public file states them; all are of AWS. */
public final class Interruptions {

  private static final String AWS = "aws";

  private final String name;
  private final Map<String, Band> byPool = new HashMap<>();

  Interruptions(String name) {
    this.name = name;
  }

  /** Reads a file of AWS's Spot Advisor (JSON) or of SpotLake (CSV), recognised by its opening. */
  public static Interruptions read(TextSource source, String opening) {
    String begin = opening.stripLeading();
    Interruptions read =
        begin.startsWith("{") ? SpotAdvisorJson.read(source) : SpotLakeCsv.read(source);
    if (read.byPool.isEmpty()) {
      throw new BadInput(
          "%s states no interruptions.".formatted(source.label()),
          "Maybe it should be Spot Advisor JSON or SpotLake CSV.");
    }
    return read;
  }

  /** Returns the name of the file. */
  public String name() {
    return name;
  }

  /** Returns the band of a pool: that of its zone, else of its region; null if there is none. */
  public @Nullable Band of(Pool pool) {
    if (!pool.place().cloud().equals(AWS)) {
      return null;
    }
    Band zone = byPool.get(key(pool.instanceType(), pool.place().region(), pool.place().zone()));
    return zone != null ? zone : byPool.get(key(pool.instanceType(), pool.place().region(), null));
  }

  void put(String type, String region, @Nullable String zone, Band band) {
    byPool.put(key(type, region, zone), band);
  }

  private static String key(String type, @Nullable String region, @Nullable String zone) {
    return type + " " + region + " " + (zone == null ? "*" : zone);
  }
}

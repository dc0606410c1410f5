package io.deepvm.base;

import java.math.BigDecimal;
import java.util.Map;

/** A number of bytes. GB is 10^9 bytes, GiB is 2^30. */
public record DataSize(long bytes) implements Comparable<DataSize> {

  private static final Map<String, BigDecimal> UNITS =
      Map.of(
          "b", BigDecimal.ONE,
          "kb", BigDecimal.TEN.pow(3),
          "mb", BigDecimal.TEN.pow(6),
          "gb", BigDecimal.TEN.pow(9),
          "tb", BigDecimal.TEN.pow(12),
          "kib", BigDecimal.valueOf(1L << 10),
          "mib", BigDecimal.valueOf(1L << 20),
          "gib", BigDecimal.valueOf(1L << 30),
          "tib", BigDecimal.valueOf(1L << 40));

  /** Reads "500MB", "1.5 GiB" and the like; a bare number is refused, because of what unit? */
  public static DataSize parse(String text) {
    return new DataSize(Quantity.parse(text, "data size", UNITS, "500MB or 2GiB"));
  }

  /** Returns this many GiB (2^30 bytes). */
  public static DataSize ofGib(double gib) {
    return new DataSize(Math.round(gib * (1L << 30)));
  }

  /** Returns this many GB (10^9 bytes). */
  public static DataSize ofGb(double gb) {
    return new DataSize(Math.round(gb * 1e9));
  }

  public double gib() {
    return bytes / (double) (1L << 30);
  }

  public double gb() {
    return bytes / 1e9;
  }

  @Override
  public int compareTo(DataSize other) {
    return Long.compare(bytes, other.bytes);
  }

  /** Prints whole GiB as GiB, everything else in the largest fitting decimal unit. */
  @Override
  public String toString() {
    if (bytes >= 1L << 30 && bytes % (1L << 29) == 0) {
      return Quantity.print(gib()) + " GiB";
    }
    if (bytes >= 1e12) {
      return Quantity.print(bytes / 1e12) + " TB";
    }
    if (bytes >= 1e9) {
      return Quantity.print(bytes / 1e9) + " GB";
    }
    if (bytes >= 1e6) {
      return Quantity.print(bytes / 1e6) + " MB";
    }
    return bytes >= 1e3 ? Quantity.print(bytes / 1e3) + " kB" : bytes + " B";
  }
}

package io.deepvm.base;

import java.math.BigDecimal;
import java.util.Map;

/** A data rate in bits per second. */
public record Bandwidth(long bitsPerSecond) implements Comparable<Bandwidth> {

  private static final Map<String, BigDecimal> UNITS =
      Map.of(
          "bps", BigDecimal.ONE,
          "kbps", BigDecimal.TEN.pow(3),
          "mbps", BigDecimal.TEN.pow(6),
          "gbps", BigDecimal.TEN.pow(9),
          "mb/s", BigDecimal.TEN.pow(6).multiply(BigDecimal.valueOf(8)),
          "gb/s", BigDecimal.TEN.pow(9).multiply(BigDecimal.valueOf(8)));

  /** Reads "25Gbps", "2500 Mbps" (bits) or "6.3GB/s" (bytes). */
  public static Bandwidth parse(String text) {
    return new Bandwidth(Quantity.parse(text, "bandwidth", UNITS, "25Gbps or 6.3GB/s"));
  }

  /** Returns this many megabits per second. */
  public static Bandwidth ofMbps(double mbps) {
    return new Bandwidth(Math.round(mbps * 1e6));
  }

  /** Returns this many gigabits per second. */
  public static Bandwidth ofGbps(double gbps) {
    return new Bandwidth(Math.round(gbps * 1e9));
  }

  public double gbps() {
    return bitsPerSecond / 1e9;
  }

  public double mbps() {
    return bitsPerSecond / 1e6;
  }

  public double bytesPerSecond() {
    return bitsPerSecond / 8.0;
  }

  /** Returns the slower of two links in a row. */
  public static Bandwidth min(Bandwidth a, Bandwidth b) {
    return a.bitsPerSecond <= b.bitsPerSecond ? a : b;
  }

  @Override
  public int compareTo(Bandwidth other) {
    return Long.compare(bitsPerSecond, other.bitsPerSecond);
  }

  @Override
  public String toString() {
    return bitsPerSecond >= 1e9
        ? Quantity.print(gbps()) + " Gbps"
        : Quantity.print(mbps()) + " Mbps";
  }
}

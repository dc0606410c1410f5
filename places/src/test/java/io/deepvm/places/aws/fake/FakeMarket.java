package io.deepvm.places.aws.fake;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Prices, capacity and quotas of the fake EC2. */
public final class FakeMarket {

  /** A spot price from a moment on. */
  record Point(long fromMs, long micros) {}

  /** The zones and their names in this account. */
  static final Map<String, String> ZONES =
      Map.of("use1-az1", "us-east-1c", "use1-az2", "us-east-1a", "use1-az4", "us-east-1b");

  private final Map<String, List<Point>> spot = new HashMap<>();
  private final Map<String, Long> onDemand = new HashMap<>();
  private final Map<String, Integer> cores = new HashMap<>();
  private final Map<String, Integer> capacity = new HashMap<>();
  private double spotCores = 10_000;
  private double onDemandCores = 10_000;

  /** Adds an instance type. */
  public FakeMarket type(String type, int vcpus, long onDemandMicros) {
    cores.put(type, vcpus);
    onDemand.put(type, onDemandMicros);
    return this;
  }

  /** Changes the spot price of a pool from a moment on; moments come in order. */
  public FakeMarket price(String zoneId, String type, long fromMs, long micros) {
    spot.computeIfAbsent(zoneId + " " + type, any -> new ArrayList<>())
        .add(new Point(fromMs, micros));
    return this;
  }

  /** Limits the instances of a pool. */
  public FakeMarket capacity(String zoneId, String type, int most) {
    capacity.put(zoneId + " " + type, most);
    return this;
  }

  /** Limits the vCPUs of the account. */
  public FakeMarket quota(double spotVcpus, double onDemandVcpus) {
    spotCores = spotVcpus;
    onDemandCores = onDemandVcpus;
    return this;
  }

  Map<String, Integer> cores() {
    return cores;
  }

  long onDemandMicros(String type) {
    return onDemand.getOrDefault(type, 0L);
  }

  int capacity(String pool) {
    return capacity.getOrDefault(pool, Integer.MAX_VALUE);
  }

  double quota(boolean ofSpot) {
    return ofSpot ? spotCores : onDemandCores;
  }

  List<Point> points(String pool) {
    return spot.getOrDefault(pool, List.of());
  }

  /**
   * Returns the first moment from which a pool costs more than this; the largest number if none.
   */
  long aboveMs(String pool, long mostMicros, long fromMs) {
    if (spotMicros(pool, fromMs) > mostMicros) {
      return fromMs;
    }
    return points(pool).stream()
        .filter(point -> point.fromMs() > fromMs && point.micros() > mostMicros)
        .mapToLong(Point::fromMs)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /** Returns the spot price of a pool at a moment; 0 if it has none. */
  public long spotMicros(String pool, long atMs) {
    long micros = 0;
    for (Point point : points(pool)) {
      if (point.fromMs() <= atMs || micros == 0) {
        micros = point.micros();
      }
    }
    return micros;
  }
}

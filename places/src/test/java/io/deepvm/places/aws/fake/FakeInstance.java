package io.deepvm.places.aws.fake;

import java.util.Map;
import java.util.TreeMap;

/** One instance of the fake EC2. */
public final class FakeInstance {

  /** A terminated instance is listed for this long. */
  private static final long LISTED_MS = 3_600_000;

  final String id;
  final Map<String, String> request;
  final Map<String, String> tags = new TreeMap<>();
  final Map<String, String> volumeTags = new TreeMap<>();
  final String address;
  final long launchMs;
  String state = "pending";
  String reasonCode = "";
  String reasonText = "";
  long stoppingMs = Long.MAX_VALUE;
  long takenMs = Long.MAX_VALUE;

  FakeInstance(String id, Map<String, String> request, String address, long launchMs) {
    this.id = id;
    this.request = Map.copyOf(request);
    this.address = address;
    this.launchMs = launchMs;
  }

  /** Returns its id. */
  public String id() {
    return id;
  }

  /** Returns its address. */
  public String address() {
    return address;
  }

  /** Returns the parameters that it was started with. */
  public Map<String, String> request() {
    return request;
  }

  /** Returns a tag; empty if it has none. */
  public String tag(String key) {
    return tags.getOrDefault(key, "");
  }

  /** Returns its state, as EC2 names it. */
  public String state() {
    return state;
  }

  /** Whether it is not terminated. */
  public boolean exists() {
    return !state.equals("terminated");
  }

  /** Whether it was terminated so long ago that nothing lists it. */
  boolean isForgotten(long nowMs, long stopMs) {
    return !exists() && nowMs - stoppingMs - stopMs >= LISTED_MS;
  }

  boolean isSpot() {
    return "spot".equals(request.get("InstanceMarketOptions.MarketType"));
  }

  String type() {
    return request.getOrDefault("InstanceType", "");
  }

  String zoneId() {
    return request.getOrDefault("Placement.AvailabilityZoneId", "use1-az1");
  }

  String pool() {
    return zoneId() + " " + type();
  }
}

package io.deepvm.places.aws;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An instance as EC2 describes it.
 *
 * @param zoneId the zone, by the name that is the same in all accounts; empty if not said
 * @param reason why it is in its state: a code
 * @param endedMs when it ended; 0 if that is not said
 * @param addresses "public" and "private", as far as it has them
 */
record Instance(
    String id,
    String state,
    String zoneId,
    long launchMs,
    String reason,
    long endedMs,
    Map<String, String> addresses,
    Map<String, String> tags) {

  private static final Pattern MOMENT =
      Pattern.compile("\\((\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d) (?:GMT|UTC)\\)");
  private static final DateTimeFormatter FORM =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT);

  static Instance of(Xml item) {
    Map<String, String> tags = new TreeMap<>();
    for (Xml tag : item.items("tagSet")) {
      tags.put(tag.text("key"), tag.text("value"));
    }
    Map<String, String> addresses = new TreeMap<>();
    if (!item.text("ipAddress").isEmpty()) {
      addresses.put("public", item.text("ipAddress"));
    }
    if (!item.text("privateIpAddress").isEmpty()) {
      addresses.put("private", item.text("privateIpAddress"));
    }
    return new Instance(
        item.text("instanceId"),
        item.text("instanceState", "name"),
        item.text("placement", "availabilityZoneId"),
        moment(item.text("launchTime")),
        item.text("stateReason", "code"),
        ended(item.text("reason")),
        addresses,
        tags);
  }

  private static long moment(String text) {
    try {
      return Instant.parse(text).toEpochMilli();
    } catch (DateTimeParseException e) {
      return 0;
    }
  }

  private static long ended(String reason) {
    Matcher matcher = MOMENT.matcher(reason);
    return matcher.find()
        ? LocalDateTime.parse(matcher.group(1), FORM).toInstant(ZoneOffset.UTC).toEpochMilli()
        : 0;
  }

  boolean isTerminated() {
    return state.equals("terminated");
  }

  boolean isRunning() {
    return state.equals("running");
  }

  /** Whether the market took it. */
  boolean wasTaken() {
    return reason.startsWith("Server.Spot");
  }

  /** Returns where ssh reaches it; empty if it has no address yet. */
  String address() {
    return addresses.getOrDefault("public", addresses.getOrDefault("private", ""));
  }

  String privateAddress() {
    return addresses.getOrDefault("private", "");
  }
}

package io.deepvm.places.notice;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Azure scheduled events. They name machines of the whole set, so the own name is compared. */
final class AzureNotices implements NoticeReader {

  private static final String EVENTS = "/metadata/scheduledevents?api-version=2020-07-01";
  private static final String NAME =
      "/metadata/instance/compute/name?api-version=2021-02-01&format=text";
  private static final Map<String, String> HEADERS = Map.of("Metadata", "true");

  /** Other events freeze the machine or restart it, and it comes back. */
  private static final Set<String> ENDS = Set.of("Preempt", "Terminate");

  private final MetadataService service;
  private final Clock clock;
  private @Nullable String name;

  AzureNotices(URI base, Clock clock) {
    this.service = new MetadataService(base);
    this.clock = clock;
  }

  @Override
  public String cloud() {
    return "azure";
  }

  @Override
  public Duration pause() {
    return Duration.ofSeconds(1);
  }

  @Override
  public Optional<Notice> read() throws IOException {
    if (name == null) {
      name = service.get(NAME, HEADERS).good();
    }
    Notice first = null;
    for (JsonNode event : Answers.json(service.get(EVENTS, HEADERS).good()).path("Events")) {
      String type = event.path("EventType").asText();
      if (ENDS.contains(type) && concerns(event, name)) {
        Notice notice = new Notice(cloud(), type, time(event.path("NotBefore").asText()), true);
        first = first == null || notice.at().isBefore(first.at()) ? notice : first;
      }
    }
    return Optional.ofNullable(first);
  }

  private static boolean concerns(JsonNode event, String name) {
    for (JsonNode resource : event.path("Resources")) {
      // Members of a scale set are named SET_NUMBER in both places.
      if (resource.asText().equalsIgnoreCase(name)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the time; an event without one has begun. */
  private Instant time(String text) throws IOException {
    if (text.isEmpty()) {
      return clock.instant();
    }
    try {
      return ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
    } catch (DateTimeException e) {
      throw new IOException("the metadata service gave no time: " + text, e);
    }
  }
}

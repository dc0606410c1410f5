package io.deepvm.places.notice;

import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Google Compute Engine: preemption of spot machines, and maintenance that ends the machine. */
final class GcpNotices implements NoticeReader {

  private static final String INSTANCE = "/computeMetadata/v1/instance/";
  private static final Map<String, String> HEADERS = Map.of("Metadata-Flavor", "Google");

  /** The service names no time: a preempted machine has this long. */
  private static final Duration PREEMPTION_LEAD = Duration.ofSeconds(30);

  /** The shortest lead of a maintenance. */
  private static final Duration MAINTENANCE_LEAD = Duration.ofSeconds(60);

  private final MetadataService service;
  private final Clock clock;

  GcpNotices(URI base, Clock clock) {
    this.service = new MetadataService(base);
    this.clock = clock;
  }

  @Override
  public String cloud() {
    return "gcp";
  }

  @Override
  public Duration pause() {
    return Duration.ofSeconds(1);
  }

  @Override
  public Optional<Notice> read() throws IOException {
    if (service.get(INSTANCE + "preempted", HEADERS).good().equals("TRUE")) {
      return Optional.of(notice("preempted", PREEMPTION_LEAD));
    }
    MetadataService.Answer event = service.get(INSTANCE + "maintenance-event", HEADERS);
    boolean ends = !event.isMissing() && event.good().equals("TERMINATE_ON_HOST_MAINTENANCE");
    return ends ? Optional.of(notice("maintenance", MAINTENANCE_LEAD)) : Optional.empty();
  }

  private Notice notice(String action, Duration lead) {
    return new Notice(cloud(), action, clock.instant().plus(lead), true);
  }
}

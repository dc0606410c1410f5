package io.deepvm.places.notice;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/** Alibaba ECS preemptible instances: the time of termination. */
final class AlibabaNotices implements NoticeReader {

  private static final String TERMINATION = "/latest/meta-data/instance/spot/termination-time";

  private final SessionToken session;

  AlibabaNotices(URI base) {
    this.session = new SessionToken(new MetadataService(base), "X-aliyun-ecs-metadata");
  }

  @Override
  public String cloud() {
    return "alibaba";
  }

  @Override
  public Duration pause() {
    return Duration.ofSeconds(5);
  }

  @Override
  public Optional<Notice> read() throws IOException {
    MetadataService.Answer answer = session.get(TERMINATION);
    return answer.isMissing()
        ? Optional.empty()
        : Optional.of(new Notice(cloud(), "terminate", Answers.instant(answer.good()), true));
  }
}

package io.deepvm.places.notice;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/** EC2 spot: the instance action two minutes ahead, and the rebalance recommendation as a hint. */
final class AwsNotices implements NoticeReader {

  private static final String META = "/latest/meta-data/";

  /** A recommendation names no time; the notice that may follow has this lead. */
  private static final Duration HINT_LEAD = Duration.ofMinutes(2);

  private final SessionToken session;
  private final Clock clock;

  AwsNotices(URI base, Clock clock) {
    this.session = new SessionToken(new MetadataService(base), "X-aws-ec2-metadata");
    this.clock = clock;
  }

  @Override
  public String cloud() {
    return "aws";
  }

  @Override
  public Duration pause() {
    return Duration.ofSeconds(5);
  }

  @Override
  public Optional<Notice> read() throws IOException {
    MetadataService.Answer action = session.get(META + "spot/instance-action");
    if (!action.isMissing()) {
      JsonNode json = Answers.json(action.good());
      String what = Answers.text(json, "action");
      return Optional.of(
          new Notice(cloud(), what, Answers.instant(Answers.text(json, "time")), true));
    }
    MetadataService.Answer hint = session.get(META + "events/recommendations/rebalance");
    if (hint.isMissing()) {
      return Optional.empty();
    }
    Answers.instant(Answers.text(Answers.json(hint.good()), "noticeTime"));
    return Optional.of(new Notice(cloud(), "rebalance", clock.instant().plus(HINT_LEAD), false));
  }
}

package io.deepvm.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cluster.log.EventLog;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MarketClockTest {

  @TempDir Path folder;

  @Test
  void whatIsDueHappensAtItsMarketTimeAtAnyPace() throws Exception {
    FakeTime time = new FakeTime(Instant.parse("2026-01-01T00:00:00Z"));
    Loop loop =
        new Loop(
            EventLog.open(folder.resolve("log")),
            failure -> {
              throw new AssertionError(failure);
            },
            time);
    MarketClock clock = new MarketClock(time, 100, loop);
    List<String> happened = new ArrayList<>();
    clock.set(1_000_000, 1);
    clock.at(1300, () -> happened.add("third at " + clock.now()));
    clock.at(1100, () -> happened.add("first at " + clock.now()));
    clock.at(1100, () -> happened.add("second at " + clock.now()));

    time.pass(Duration.ofSeconds(2));
    clock.pace(0);
    time.pass(Duration.ofHours(1));
    assertThat(happened).containsExactly("first at 1100.0", "second at 1100.0");
    assertThat(clock.now()).isEqualTo(1200);

    clock.pace(0.5);
    time.pass(Duration.ofMillis(1900));
    assertThat(happened).hasSize(2);
    time.pass(Duration.ofMillis(100));
    assertThat(happened).last().isEqualTo("third at 1300.0");
  }
}

package io.deepvm.places.recorded;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.places.testing.TestTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MarketClockTest {

  private final TestTime time = new TestTime(Instant.parse("2026-01-01T00:00:00Z"));
  private final MarketClock clock = new MarketClock(time, 100, time);
  private final List<String> happened = new ArrayList<>();

  @Test
  void aTaskRunsAtItsMarketTimeAtAnyPace() {
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
    assertThat(clock.realSecondsUntil(1300)).isEqualTo(2);
    time.pass(Duration.ofMillis(1900));
    assertThat(happened).hasSize(2);
    time.pass(Duration.ofMillis(100));
    assertThat(happened).last().isEqualTo("third at 1300.0");
  }

  @Test
  void aStoppedClockRunsNothing() {
    clock.set(0, 1);
    clock.at(100, () -> happened.add("late"));
    clock.stop();
    time.pass(Duration.ofHours(1));
    assertThat(happened).isEmpty();
  }
}

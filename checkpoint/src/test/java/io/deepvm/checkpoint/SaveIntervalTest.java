package io.deepvm.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SaveIntervalTest {

  private final AtomicLong clock = new AtomicLong();
  private final SaveInterval interval = new SaveInterval(clock::get, Duration.ofHours(3));

  @Test
  void nothingMeasuredMeansSaveNow() {
    assertThat(interval.best()).isEqualTo(Duration.ZERO);
  }

  @Test
  void moreRevocationsMeanMoreSaves() {
    interval.observeStall(Duration.ofMillis(100));
    Duration calm = interval.best();
    interval.observeRevocations(10, Duration.ofHours(1));
    assertThat(interval.best()).isLessThan(calm);
    Duration rough = interval.best();
    clock.addAndGet(Duration.ofHours(100).toNanos());
    assertThat(interval.best()).isGreaterThan(rough);
  }

  @Test
  void aSaveIsNotStartedMoreOftenThanItCanBeWritten() {
    interval.observeStall(Duration.ofMillis(1));
    interval.observeWrite(Duration.ofMinutes(7));
    assertThat(interval.best()).isEqualTo(Duration.ofMinutes(7));
  }

  @Test
  void theMeanUptimeIsTimeOverRevocations() {
    clock.addAndGet(Duration.ofHours(5).toNanos());
    interval.observeRevocations(3, Duration.ofHours(4));
    assertThat(interval.meanUptime()).isEqualTo(Duration.ofHours(3));
  }
}

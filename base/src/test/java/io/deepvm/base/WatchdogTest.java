package io.deepvm.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WatchdogTest {

  @Test
  void aWatchdogLooksAgainWhateverWasThrown() throws Exception {
    CountDownLatch looks = new CountDownLatch(3);
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    try {
      Watchdog watchdog =
          new Watchdog(
              "test",
              () -> {
                looks.countDown();
                if (looks.getCount() == 2) {
                  throw new OutOfMemoryError("only for the test");
                }
                throw new IllegalStateException("only for the test");
              });
      watchdog.every(Duration.ofMillis(1), timer);
      assertThat(looks.await(20, TimeUnit.SECONDS)).isTrue();
    } finally {
      timer.shutdownNow();
    }
  }
}

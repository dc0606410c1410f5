package io.deepvm.checkpoint.anchor;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.checkpoint.format.Version;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class UpkeepTest {

  private static final Duration WAIT = Duration.ofSeconds(30);
  private static final Version FIRST = new Version("job", 1, 1);
  private static final Version SECOND = new Version("job", 1, 2);

  private final List<Version> tried = new CopyOnWriteArrayList<>();
  private @Nullable Upkeep upkeep;

  private Upkeep start(Upkeep.Origin origin, Upkeep.Work work) {
    Upkeep started =
        new Upkeep(
            "upkeep",
            Duration.ofMillis(1),
            origin,
            version -> {
              tried.add(version);
              work.run(version);
            });
    upkeep = started;
    started.start();
    return started;
  }

  @AfterEach
  void close() {
    if (upkeep != null) {
      upkeep.close();
    }
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(WAIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void whatFailsIsNotIdleAndIsTriedUntilItWorks() throws Exception {
    AtomicBoolean full = new AtomicBoolean(true);
    CountDownLatch failures = new CountDownLatch(10);
    Upkeep upkeep =
        start(
            version -> true,
            version -> {
              if (full.get()) {
                failures.countDown();
                throw new IOException("No space left on device");
              }
            });
    upkeep.offer(FIRST);
    await(failures);
    assertThat(upkeep.awaitIdle(Duration.ofMillis(1))).isFalse();
    full.set(false);
    assertThat(upkeep.awaitIdle(WAIT)).isTrue();
    assertThat(tried).hasSizeGreaterThan(10).containsOnly(FIRST);
  }

  @Test
  void anErrorIsAFailureLikeAnyOther() throws Exception {
    Upkeep upkeep =
        start(
            version -> true,
            version -> {
              if (tried.size() == 1) {
                throw new OutOfMemoryError("for a moment");
              }
            });
    upkeep.offer(FIRST);
    assertThat(upkeep.awaitIdle(WAIT)).isTrue();
    assertThat(tried).containsExactly(FIRST, FIRST);
  }

  @Test
  void aMissingFileIsADeletedVersionOnlyIfTheVersionIsGone() throws Exception {
    AtomicBoolean there = new AtomicBoolean(true);
    CountDownLatch failures = new CountDownLatch(3);
    Upkeep upkeep =
        start(
            version -> there.get(),
            version -> {
              failures.countDown();
              throw new NoSuchFileException("an upload");
            });
    upkeep.offer(FIRST);
    await(failures);
    assertThat(upkeep.awaitIdle(Duration.ofMillis(1))).isFalse();
    there.set(false);
    assertThat(upkeep.awaitIdle(WAIT)).isTrue();
  }

  @Test
  void aNewerVersionTakesThePlaceOfOneThatFails() throws Exception {
    CountDownLatch failures = new CountDownLatch(3);
    Upkeep upkeep =
        start(
            version -> true,
            version -> {
              if (version.equals(FIRST)) {
                failures.countDown();
                throw new IOException("Damaged");
              }
            });
    upkeep.offer(FIRST);
    await(failures);
    upkeep.offer(SECOND);
    assertThat(upkeep.awaitIdle(WAIT)).isTrue();
    assertThat(tried).endsWith(SECOND);
  }

  @Test
  void aJobThatFailsDoesNotKeepOthersWaiting() throws Exception {
    Version other = new Version("other", 1, 1);
    CountDownLatch failures = new CountDownLatch(3);
    CountDownLatch done = new CountDownLatch(1);
    Upkeep upkeep =
        start(
            version -> true,
            version -> {
              if (version.equals(other)) {
                done.countDown();
              } else {
                failures.countDown();
                throw new IOException("Damaged");
              }
            });
    upkeep.offer(FIRST);
    await(failures);
    upkeep.offer(other);
    await(done);
    assertThat(upkeep.awaitIdle(Duration.ofMillis(1))).isFalse();
  }
}

package io.deepvm.trainer.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.checkpoint.SaveInterval;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LossesTest {

  private static final Duration BELIEF = Duration.ofHours(3);

  private final AtomicLong clock = new AtomicLong();
  private final Losses losses = new Losses(clock::get);

  private void pass(Duration time) {
    clock.addAndGet(time.toNanos());
  }

  private SaveInterval interval() {
    SaveInterval interval = new SaveInterval(clock::get, BELIEF);
    losses.follow(interval);
    return interval;
  }

  @Test
  void lossesBeforeAndAfterTheEngineWasMadeCountOnce() {
    losses.form(Set.of("a", "b", "c", "d"));
    pass(Duration.ofHours(1));
    losses.form(Set.of("a", "b"));
    pass(Duration.ofHours(1));
    SaveInterval interval = interval();
    // Three hours for the belief and two of this process, for one revocation and two.
    assertThat(interval.meanUptime()).isEqualTo(Duration.ofHours(5).dividedBy(3));
    pass(Duration.ofHours(3));
    losses.form(Set.of("a", "e"));
    assertThat(interval.meanUptime()).isEqualTo(Duration.ofHours(8).dividedBy(4));
  }

  @Test
  void anEngineMadeAnewKnowsAllLosses() {
    losses.form(Set.of("a", "b"));
    interval();
    pass(Duration.ofHours(1));
    losses.form(Set.of("a"));
    assertThat(interval().meanUptime()).isEqualTo(Duration.ofHours(2));
  }

  @Test
  void newcomersAreNoLoss() {
    losses.form(Set.of("a"));
    SaveInterval interval = interval();
    losses.form(Set.of("a", "b"));
    assertThat(interval.meanUptime()).isEqualTo(BELIEF);
  }
}

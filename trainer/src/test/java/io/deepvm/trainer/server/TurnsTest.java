package io.deepvm.trainer.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TurnsTest {

  private long now;
  private final Turns turns = new Turns(() -> now);

  private boolean take(int worker) throws InterruptedException {
    return turns.take(worker, Duration.ZERO);
  }

  @Test
  void whoAsksFirstIsServedFirst() throws InterruptedException {
    assertThat(take(3)).isTrue();
    assertThat(take(1)).isFalse();
    assertThat(take(2)).isFalse();
    turns.done(3);
    assertThat(take(2)).isFalse();
    assertThat(take(1)).isTrue();
    turns.done(1);
    assertThat(take(2)).isTrue();
  }

  @Test
  void whoHasATurnIsToldSoAgain() throws InterruptedException {
    assertThat(take(1)).isTrue();
    assertThat(take(1)).isTrue();
    assertThat(take(2)).isFalse();
  }

  @Test
  void aTurnThatIsNeverGivenBackKeepsNobodyWaitingForEver() throws InterruptedException {
    assertThat(take(1)).isTrue();
    now += Duration.ofSeconds(9).toNanos();
    assertThat(take(2)).isFalse();
    now += Duration.ofSeconds(2).toNanos();
    assertThat(take(2)).isTrue();
  }

  @Test
  void aNewGenerationBeginsAnew() throws InterruptedException {
    assertThat(take(1)).isTrue();
    assertThat(take(2)).isFalse();
    turns.clear();
    assertThat(take(3)).isTrue();
  }

  @Test
  void servesAsManyAtOnceAsFillTheLink() throws InterruptedException {
    // Each worker fills a third of the link; beyond three they only share it.
    play(3, 400);
    assertThat(turns.atOnce()).isEqualTo(3);
  }

  @Test
  void servesOneAfterTheOtherWhereOneFillsTheLink() throws InterruptedException {
    play(1, 400);
    assertThat(turns.atOnce()).isEqualTo(1);
  }

  /** Lets eight workers take turns on end, each turn lasting what sharing the link makes of it. */
  private void play(int fill, int count) throws InterruptedException {
    int workers = 8;
    double[] left = new double[workers];
    for (int ended = 0; ended < count; ) {
      int having = 0;
      for (int worker = 0; worker < workers; worker++) {
        if (left[worker] > 0) {
          having++;
        } else if (take(worker)) {
          left[worker] = 1000;
          having++;
        }
      }
      double rate = Math.min(1, (double) fill / having);
      now++;
      for (int worker = 0; worker < workers; worker++) {
        if (left[worker] > 0) {
          left[worker] -= rate;
          if (left[worker] <= 0) {
            turns.done(worker);
            ended++;
          }
        }
      }
    }
  }
}

package io.deepvm.trainer.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TrainingPaceTest {

  @Test
  void aKnownTimeIsKeptWhateverThisOneTook() {
    TrainingPace pace = new TrainingPace(0.5, 0.010);
    assertThat(pace.restNanos(8_000_000)).isEqualTo(12_000_000);
    assertThat(pace.restNanos(14_000_000)).isEqualTo(6_000_000);
  }

  @Test
  void anUnknownTimeIsStretched() {
    assertThat(new TrainingPace(0.25, 0).restNanos(5_000_000)).isEqualTo(15_000_000);
    assertThat(new TrainingPace(1, 0.010).restNanos(5_000_000)).isZero();
  }

  @Test
  void aSpeedAboveOneIsRefused() {
    assertThatThrownBy(() -> TrainingPace.of(Map.of("DEEPVM_SPEED", "2")))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("DEEPVM_SPEED (2)");
  }
}

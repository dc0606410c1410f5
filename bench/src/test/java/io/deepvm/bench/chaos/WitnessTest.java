package io.deepvm.bench.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.checkpoint.format.Version;
import org.junit.jupiter.api.Test;

class WitnessTest {

  private static final int KEPT = 3;
  private static final Version NONE = new Version(Model.JOB, 0, 0);

  private final Witness witness = new Witness();

  private static Version version(long generation, long step) {
    return new Version(Model.JOB, generation, step);
  }

  @Test
  void notOnlyTheNewestDurableSaveMustBeThere() {
    witness.hear("CLAIMED 1 7", NONE);
    for (long step = 1; step <= 4; step++) {
      witness.hear("DURABLE 1 " + step, NONE);
    }
    // a save may be half committed, so of three that are kept two can be asked for
    assertThat(witness.mustBeThere(KEPT)).containsExactly(version(1, 3), version(1, 4));
  }

  @Test
  void newerSavesThatAreSomewhereMayPushOlderOnesOut() {
    witness.hear("CLAIMED 1 7", NONE);
    witness.hear("DURABLE 1 1", NONE);
    witness.hear("BROUGHT 1 2", NONE);
    assertThat(witness.mustBeThere(KEPT)).containsExactly(version(1, 1));
    witness.see(version(1, 3));
    assertThat(witness.mustBeThere(KEPT)).isEmpty();
  }

  @Test
  void aLaterSessionMayHaveLeftSavesThatNobodyReported() {
    witness.hear("CLAIMED 1 7", NONE);
    witness.hear("DURABLE 1 1", NONE);
    witness.hear("CLAIMED 2 8", NONE);
    assertThat(witness.mustBeThere(KEPT)).isEmpty();
    witness.hear("DURABLE 2 2", NONE);
    assertThat(witness.mustBeThere(KEPT)).containsExactly(version(2, 2));
  }
}

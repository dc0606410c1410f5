package io.deepvm.checkpoint.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * Runs engines, anchors and stores on one scheduler with mock time, and checks that no save that
 * was reported safe is lost. A failing seed is run again, event by event, by the command it prints.
 */
class CheckpointSimulationTest {

  private static final int SEEDS = 500;
  private static final int COMPARED = 50;

  private static final Simulation SIMULATION = new Simulation(null);

  @Test
  void noSaveThatWasReportedSafeIsLostWhateverGoesWrong() {
    Simulation.Counts sum = Simulation.Counts.NONE;
    for (long seed = 1; seed <= SEEDS; seed++) {
      Simulation.Result result = SIMULATION.run(seed, null);
      assertThat(result.problems()).describedAs(result.replay()).isEmpty();
      sum = sum.plus(result.counts());
    }
    // a simulation in which nothing goes wrong, or nothing gets through, shows nothing
    assertThat(sum.faults()).isGreaterThan(10L * SEEDS);
    assertThat(sum.acknowledged()).isGreaterThan(10L * SEEDS);
    assertThat(sum.restores()).isGreaterThan(3L * SEEDS);
  }

  @Test
  void theSameSeedGivesTheSameEvents() {
    for (long seed = 1; seed <= COMPARED; seed++) {
      Simulation.Result first = SIMULATION.run(seed, null);
      Simulation.Result second = SIMULATION.run(seed, null);
      assertThat(second.hash()).describedAs(first.replay()).isEqualTo(first.hash());
      assertThat(second.events()).isEqualTo(first.events());
    }
  }
}

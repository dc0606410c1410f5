package io.deepvm.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * The real coordinator, core and agents' logic on one scheduler with simulated time, over a network
 * that drops, delays, repeats and cuts, a disk that loses what was not synced, and a cloud that
 * refuses, lags and takes machines. The seed draws everything, the fault rates too. After three
 * minutes faults stop, and the run must finish with nothing left behind.
 */
class RunSimulationTest {

  private static final int SEEDS = Integer.getInteger("deepvm.simulation.seeds", 500);

  @Test
  void aRunSurvivesWhateverItsSeedDoesToIt() {
    long faults = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      faults += live(seed).faults();
    }
    assertThat(faults).isGreaterThan(SEEDS);
  }

  private static SimRun.Result live(long seed) {
    try {
      return new SimRun(seed, line -> {}).live();
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(
          "Seed %d failed: %s%nMaybe replay it: bench/run-simulation --seed %d"
              .formatted(seed, e.getMessage(), seed),
          e);
    }
  }

  @Test
  void theSameSeedGivesTheSameEvents() {
    for (long seed = 0; seed < 10; seed++) {
      assertThat(SimRun.lines(seed)).isEqualTo(SimRun.lines(seed));
    }
  }
}

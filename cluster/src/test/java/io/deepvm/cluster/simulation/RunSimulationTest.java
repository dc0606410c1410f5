package io.deepvm.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
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

  /** The order of Java's unordered collections differs from one process to the next. */
  @Test
  void anotherProcessGetsTheSameEventsFromTheSameSeeds() throws Exception {
    Process other =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                RunSimulation.class.getName(),
                "--from",
                "0",
                "--seeds",
                "20",
                "--minutes",
                "5")
            .redirectErrorStream(true)
            .start();
    StringWriter here = new StringWriter();
    assertThat(RunSimulation.attempt(0, 20, Duration.ofMinutes(5), 1, new PrintWriter(here, true)))
        .isZero();
    String there = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(there).contains("hash=").isEqualTo(here.toString());
  }
}

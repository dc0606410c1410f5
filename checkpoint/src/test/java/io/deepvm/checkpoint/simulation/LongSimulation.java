package io.deepvm.checkpoint.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * The long mode, started by {@code bench/checkpoint-simulation} and not by the build. The system
 * properties say how many seeds to run, for how long, or which seed to show event by event.
 */
class LongSimulation {

  private static final int REPORT_EVERY = 1_000;

  private final Simulation simulation = new Simulation(null);
  private final List<String> failures = new ArrayList<>();
  private Simulation.Counts sum = Simulation.Counts.NONE;
  private long seeds;

  @Test
  void run() {
    Long seed = Long.getLong("simulation.seed");
    if (seed != null) {
      Simulation.Result result = simulation.run(seed, System.out);
      assertThat(result.problems()).isEmpty();
      return;
    }
    long first = Long.getLong("simulation.first", 1);
    long most = Long.getLong("simulation.seeds", Long.MAX_VALUE);
    long begin = System.nanoTime();
    long minutes = Long.getLong("simulation.minutes", Long.MAX_VALUE / 60_000_000_000L);
    while (seeds < most && System.nanoTime() - begin < minutes * 60_000_000_000L) {
      runTwice(first + seeds++);
      if (seeds % REPORT_EVERY == 0) {
        report(begin);
      }
    }
    report(begin);
    assertThat(failures).isEmpty();
  }

  private void runTwice(long seed) {
    Simulation.Result result = simulation.run(seed, null);
    sum = sum.plus(result.counts());
    if (!result.problems().isEmpty()) {
      fail(result, result.problems().get(0));
    } else if (simulation.run(seed, null).hash() != result.hash()) {
      fail(result, "the second run had other events than the first");
    }
  }

  private void fail(Simulation.Result result, String problem) {
    failures.add("seed %d: %s".formatted(result.seed(), problem));
    System.out.printf("seed %d: %s%n  %s%n", result.seed(), problem, result.replay());
  }

  private void report(long begin) {
    System.out.printf(
        Locale.ROOT,
        "%,d seeds, %,d faults, %,d sessions, %,d saves, %,d reported safe, %,d restores,"
            + " %d failures, %.0f s%n",
        seeds,
        sum.faults(),
        sum.sessions(),
        sum.saves(),
        sum.acknowledged(),
        sum.restores(),
        failures.size(),
        (System.nanoTime() - begin) / 1e9);
  }
}

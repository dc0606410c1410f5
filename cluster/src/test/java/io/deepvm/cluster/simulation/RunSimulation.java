package io.deepvm.cluster.simulation;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * The simulation as a program: tries seeds for a time, or replays one with a line for each event.
 */
public final class RunSimulation {

  private RunSimulation() {}

  /**
   * Takes "--seed N" to replay one seed, or "--minutes N [--from SEED] [--seeds N] [--failures N]"
   * to try many.
   */
  public static void main(String[] args) {
    long replayed = number(args, "--seed", -1);
    if (replayed >= 0) {
      System.out.println(new SimRun(replayed, System.out::println).live());
      return;
    }
    long failed =
        attempt(
            number(args, "--from", 1_000_000),
            number(args, "--seeds", Long.MAX_VALUE),
            Duration.ofMinutes(number(args, "--minutes", 1)),
            number(args, "--failures", Long.MAX_VALUE),
            new PrintWriter(System.out, true, StandardCharsets.UTF_8));
    if (failed > 0) {
      System.exit(1);
    }
  }

  /** Lives runs from a seed on until a limit is reached, and returns how many failed. */
  static long attempt(long first, long most, Duration time, long failures, PrintWriter out) {
    long end = System.nanoTime() + time.toNanos();
    long seeds = 0;
    long faults = 0;
    long events = 0;
    long coordinators = 0;
    long failed = 0;
    long hash = 17;
    for (; seeds < most && failed < failures && System.nanoTime() < end; seeds++) {
      long seed = first + seeds;
      try {
        SimRun.Result result = new SimRun(seed, line -> {}).live();
        faults += result.faults();
        events += result.events();
        coordinators += result.coordinators();
        hash = 31 * hash + result.hash();
      } catch (RuntimeException | AssertionError e) {
        failed++;
        out.println("seed %d: %s".formatted(seed, e));
        out.println("Maybe replay it: bench/run-simulation --seed %d".formatted(seed));
      }
    }
    out.println(
        "seeds=%d faults=%d events=%d coordinators=%d hash=%016x failed=%d"
            .formatted(seeds, faults, events, coordinators, hash, failed));
    return failed;
  }

  private static long number(String[] args, String option, long otherwise) {
    for (int i = 0; i + 1 < args.length; i++) {
      if (args[i].equals(option)) {
        return Long.parseLong(args[i + 1]);
      }
    }
    return otherwise;
  }
}

package io.deepvm.cluster.simulation;

/**
 * The simulation as a program: tries seeds for a time, or replays one with a line for each event.
 */
public final class RunSimulation {

  private RunSimulation() {}

  /** Takes "--seed N" to replay one seed, or "--minutes N [--from SEED]" to try many. */
  public static void main(String[] args) {
    long replayed = number(args, "--seed", -1);
    if (replayed >= 0) {
      System.out.println(new SimRun(replayed, System.out::println).live());
      return;
    }
    long end = System.nanoTime() + number(args, "--minutes", 1) * 60_000_000_000L;
    long first = number(args, "--from", 1_000_000);
    long most = number(args, "--seeds", Long.MAX_VALUE);
    long seeds = 0;
    long faults = 0;
    long events = 0;
    long coordinators = 0;
    long failed = 0;
    for (; seeds < most && System.nanoTime() < end; seeds++) {
      try {
        SimRun.Result result = new SimRun(first + seeds, line -> {}).live();
        faults += result.faults();
        events += result.events();
        coordinators += result.coordinators();
      } catch (RuntimeException | AssertionError e) {
        failed++;
        System.out.println("seed %d: %s".formatted(first + seeds, e));
      }
    }
    System.out.println(
        "seeds=%d faults=%d events=%d coordinators=%d failed=%d"
            .formatted(seeds, faults, events, coordinators, failed));
    if (failed > 0) {
      System.exit(1);
    }
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

package io.deepvm.checkpoint.simulation;

import java.io.PrintStream;
import java.util.List;
import java.util.function.Consumer;

/** Runs the scenario once for each seed. */
public final class Simulation {

  /** The class that the loader must load, so that what it uses is simulated. */
  private static final String SCENARIO = "io.deepvm.checkpoint.simulation.scenario.Scenario";

  /**
   * How a run ended.
   *
   * @param hash of the event stream
   * @param problems the promises that were broken; empty when all is well
   */
  record Result(long seed, long hash, long events, List<String> problems, Counts counts) {

    /** Returns the command that shows the run, one line an event. */
    String replay() {
      return "./bench/checkpoint-simulation --seed " + seed;
    }
  }

  /** What happened in a run. */
  record Counts(long faults, long sessions, long saves, long acknowledged, long restores) {

    static final Counts NONE = new Counts(0, 0, 0, 0, 0);

    Counts plus(Counts other) {
      return new Counts(
          faults + other.faults,
          sessions + other.sessions,
          saves + other.saves,
          acknowledged + other.acknowledged,
          restores + other.restores);
    }
  }

  private final Class<?> scenario;

  Simulation(Guard broken) {
    try {
      scenario = Class.forName(SCENARIO, true, new SimulatedClasses(broken));
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Runs a seed, and prints one line an event if there is something to print on. */
  Result run(long seed, PrintStream out) {
    Trace trace = new Trace(out);
    World world = new World(seed, trace);
    SimulatedProcess process = world.process("world", world.machine("world"));
    SimulatedThread main =
        new SimulatedThread(
            process,
            () -> {
              try {
                scenario().accept(world);
              } finally {
                world.scheduler().end();
              }
            },
            "main");
    try {
      world.scheduler().run(main);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    Result result =
        new Result(
            seed, trace.hash(), trace.events(), List.copyOf(trace.problems()), counts(world));
    world.clear();
    return result;
  }

  @SuppressWarnings("unchecked")
  private Consumer<World> scenario() {
    try {
      return (Consumer<World>) scenario.getConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Counts counts(World world) {
    return new Counts(
        world.counted(World.Count.FAULTS),
        world.counted(World.Count.SESSIONS),
        world.counted(World.Count.SAVES),
        world.counted(World.Count.ACKNOWLEDGED),
        world.counted(World.Count.RESTORES));
  }
}

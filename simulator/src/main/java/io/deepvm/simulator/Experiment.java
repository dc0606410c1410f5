package io.deepvm.simulator;

import io.deepvm.base.BadInput;
import io.deepvm.base.DaemonThreads;
import io.deepvm.base.SplitMix64;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Many runs of one scenario and policy, the same for any number of threads. */
public final class Experiment {

  /**
   * Runs are handed out in pieces of this many, so that progress moves and threads end together.
   */
  private static final int PIECE = 16;

  private Experiment() {}

  /**
   * Runs and returns what came of it.
   *
   * @param policy makes a fresh one for a run; only those that know the future look at it
   * @param progress receives the number of runs that are done, from any thread
   */
  public static Sample run(
      Scenario scenario,
      Function<Future, Policy> policy,
      Future.Source futures,
      int runs,
      long seed,
      int threads,
      IntConsumer progress) {
    RunRange all = RunRange.all(runs);
    return run(scenario, policy, futures, runs, all, seed, threads, progress);
  }

  /** Runs a part of them alone; the sample has nothing of the others. */
  static Sample run(
      Scenario scenario,
      Function<Future, Policy> policy,
      Future.Source futures,
      int runs,
      RunRange part,
      long seed,
      int threads,
      IntConsumer progress) {
    if (runs < 1) {
      throw new BadInput(
          "%d runs are no experiment: there must be at least 1.".formatted(runs),
          "Maybe ask for 1000.");
    }
    Sample sample =
        new Sample(runs, futures.of(0, seedOf(seed, 0)).aheadSeconds(), futures.kinds());
    AtomicInteger next = new AtomicInteger(part.from());
    AtomicInteger done = new AtomicInteger();
    List<Throwable> failures = new ArrayList<>();
    Runnable work =
        () -> {
          for (int from; (from = next.getAndAdd(PIECE)) < part.to(); ) {
            int to = Math.min(part.to(), from + PIECE);
            for (int run = from; run < to; run++) {
              long own = seedOf(seed, run);
              Future future = futures.of(run, own);
              sample.put(
                  run,
                  Simulation.run(
                      scenario,
                      future.market(),
                      future.firstTick(),
                      policy.apply(future),
                      own,
                      null));
            }
            progress.accept(done.addAndGet(to - from));
          }
        };
    List<Thread> crew = new ArrayList<>();
    for (int i = 1; i < Math.min(threads, (part.size() + PIECE - 1) / PIECE); i++) {
      Thread thread = DaemonThreads.of("simulation-" + i, work);
      thread.setUncaughtExceptionHandler(
          (t, failure) -> {
            synchronized (failures) {
              failures.add(failure);
            }
          });
      thread.start();
      crew.add(thread);
    }
    work.run();
    @Nullable InterruptedException interrupted = null;
    for (Thread thread : crew) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = e;
      }
    }
    if (interrupted != null) {
      Thread.currentThread().interrupt();
    }
    synchronized (failures) {
      if (!failures.isEmpty()) {
        Throwable first = failures.get(0);
        throw first instanceof BadInput bad ? bad : new IllegalStateException(first);
      }
    }
    return sample;
  }

  /** Returns the seed of a run, derived from the seed of the experiment and the run's number. */
  public static long seedOf(long seed, int run) {
    return SplitMix64.mix(seed + (run + 1) * SplitMix64.STEP);
  }
}

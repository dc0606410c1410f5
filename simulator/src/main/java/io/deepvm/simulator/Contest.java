package io.deepvm.simulator;

import java.util.function.Function;
import java.util.stream.IntStream;

/** One stage, and the same futures for every policy. */
public record Contest(Stage stage, Future.Source futures, int runs, long seed, int threads) {

  /** Receives the number of runs that are done. */
  public interface Watcher {
    void done(int runs);
  }

  /** Lets a policy live through all futures. */
  public Sample sample(Scenario scenario, Function<Future, Policy> policy, Watcher watcher) {
    return Experiment.run(scenario, policy, futures, runs, seed, threads, watcher::done);
  }

  /** Lets a policy live through some of the futures; the sample has nothing of the others. */
  public Sample sample(
      Scenario scenario, Function<Future, Policy> policy, RunRange part, Watcher watcher) {
    return Experiment.run(scenario, policy, futures, runs, part, seed, threads, watcher::done);
  }

  /** Lives through one of the runs again and writes it down. */
  public Outcome again(int run, Scenario scenario, Policy policy, Recorder recorder) {
    long own = Experiment.seedOf(seed, run);
    Future future = futures.of(run, own);
    return Simulation.run(scenario, future.market(), future.firstTick(), policy, own, recorder);
  }

  /** Returns the market a run lives through. */
  public Future future(int run) {
    return futures.of(run, Experiment.seedOf(seed, run));
  }

  /**
   * Returns the least cost of each run with members that come and go, within the deadline and the
   * horizon.
   */
  public double[] elasticBounds() {
    return elasticBounds(RunRange.all(runs));
  }

  /** Returns the same of some of the runs. */
  public double[] elasticBounds(RunRange part) {
    Scenario scenario = stage.scenario();
    return IntStream.range(part.from(), part.to())
        .parallel()
        .mapToDouble(
            run -> {
              Future future = future(run);
              return ElasticBound.usd(
                  scenario,
                  stage.run().speeds(),
                  future.market(),
                  future.firstTick(),
                  Math.min(scenario.deadlineSeconds(), future.aheadSeconds()));
            })
        .toArray();
  }
}

package io.deepvm.bench;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.checkpoint.SaveRule;
import io.deepvm.market.GapRule;
import io.deepvm.market.Markets;
import io.deepvm.market.SpotMarket;
import io.deepvm.simulator.Billing;
import io.deepvm.simulator.Checkpointing;
import io.deepvm.simulator.Experiment;
import io.deepvm.simulator.Future;
import io.deepvm.simulator.Policy;
import io.deepvm.simulator.Recovery;
import io.deepvm.simulator.Sample;
import io.deepvm.simulator.Scenario;
import io.deepvm.simulator.Startup;
import io.deepvm.simulator.Throughput;
import io.deepvm.simulator.policy.Elastic;
import io.deepvm.simulator.policy.PerformanceFirst;
import io.deepvm.simulator.policy.SpotOnly;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/**
 * How many runs a second a 16-node elastic job gets, by threads, and what heap 100,000 of them
 * take.
 *
 * <p>Runs last 20 h of training within 30 h, over the 13 zones of the bundled H100 trace. The
 * second figure of a line is the speed of two threads over that of one; two cores can give 2.
 */
public final class SimulationSpeed {

  private SimulationSpeed() {}

  /** Takes the number of runs of the large experiment, 100,000 when not given. */
  public static void main(String[] args) {
    int runs = args.length > 0 ? Integer.parseInt(args[0]) : 100_000;
    SpotMarket market = Markets.load("gcp-h100-2025-10").market(GapRule.LAST);
    Scenario scenario = scenario(market.pools().size());
    Future.Source futures = Future.starts(market, 2000, 40 * 3600);
    Map<String, Supplier<Policy>> policies = new LinkedHashMap<>();
    policies.put("spot", SpotOnly::new);
    policies.put("performance-first", PerformanceFirst::new);
    policies.put("elastic", Elastic::new);
    policies.forEach(
        (name, policy) -> {
          speed(scenario, policy, futures, 2000, 1);
          double one = speed(scenario, policy, futures, 2000, 1);
          double two = speed(scenario, policy, futures, 2000, 2);
          print("%-20s %,8.0f runs/s on one thread, x %.2f on two%n", name, one, two / one);
        });
    Future.Source many = Future.starts(market, runs, 40 * 3600);
    System.gc();
    long start = System.nanoTime();
    Sample sample = Experiment.run(scenario, f -> new Elastic(), many, runs, 1, 2, done -> {});
    double seconds = (System.nanoTime() - start) / 1e9;
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    print(
        "elastic, %,d runs: %.1f s, %d late, heap of at most %d MB, %d MB held after%n",
        runs,
        seconds,
        Math.round(sample.missed() * runs),
        runtime.maxMemory() >> 20,
        (runtime.totalMemory() - runtime.freeMemory()) >> 20);
  }

  private static double speed(
      Scenario scenario, Supplier<Policy> policy, Future.Source futures, int runs, int threads) {
    long start = System.nanoTime();
    Experiment.run(scenario, f -> policy.get(), futures, runs, 1, threads, done -> {});
    return runs / ((System.nanoTime() - start) / 1e9);
  }

  private static Scenario scenario(int pools) {
    double[] speeds = new double[16];
    for (int n = 1; n <= 16; n++) {
      speeds[n - 1] = n / (1 + 0.02 * (n - 1)) / (16 / 1.3);
    }
    return new Scenario(
        new Throughput.ByCount(speeds),
        20 * 3600,
        16,
        30 * 3600,
        -1,
        1,
        Money.parse("0.2"),
        Recovery.SURVIVORS,
        new Checkpointing(DataSize.ofGb(27), true, 5, 20, 30, true, false, new SaveRule.Fixed(900)),
        Startup.USUAL,
        Billing.BY_THE_SECOND,
        new double[pools][pools]);
  }

  private static void print(String format, Object... values) {
    System.out.print(String.format(Locale.ROOT, format, values));
  }
}

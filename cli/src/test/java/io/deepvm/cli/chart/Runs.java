package io.deepvm.cli.chart;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Place;
import io.deepvm.checkpoint.SaveRule;
import io.deepvm.market.Pool;
import io.deepvm.market.SpotMarket;
import io.deepvm.market.Trace;
import io.deepvm.simulator.Billing;
import io.deepvm.simulator.Checkpointing;
import io.deepvm.simulator.Experiment;
import io.deepvm.simulator.Future;
import io.deepvm.simulator.Outcome;
import io.deepvm.simulator.Policy;
import io.deepvm.simulator.Recovery;
import io.deepvm.simulator.Sample;
import io.deepvm.simulator.Scenario;
import io.deepvm.simulator.Simulation;
import io.deepvm.simulator.Startup;
import io.deepvm.simulator.Throughput;
import io.deepvm.simulator.Timeline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/** Small simulated runs to be drawn. */
final class Runs {

  static final double NO_DEADLINE = Double.POSITIVE_INFINITY;

  /** One run and all that its chart needs. */
  record Run(SpotMarket market, Scenario scenario, Timeline timeline, Outcome outcome) {

    TimelineChart chart(String title) {
      return new TimelineChart(timeline, market, 0, scenario, title);
    }
  }

  private Runs() {}

  /** A market of pools with so many nodes in each of 600 ticks of 10 minutes. */
  static SpotMarket market(IntUnaryOperator... pools) {
    List<Trace> traces = new ArrayList<>();
    for (int p = 0; p < pools.length; p++) {
      int[] counts = new int[600];
      double[] prices = new double[600];
      for (int t = 0; t < counts.length; t++) {
        counts[t] = pools[p].applyAsInt(t);
        prices[t] = 2 + p + 0.1 * (t / 12 % 3);
      }
      traces.add(
          new Trace(
              new Pool(new Place("gcp", "region-" + p, "zone-a"), "a3-highgpu-8g"),
              null,
              Duration.ofMinutes(10),
              counts,
              100,
              prices,
              10.0));
    }
    return SpotMarket.of(traces);
  }

  /** Workers of one unit a second each, that start up and save their state every so often. */
  static Scenario scenario(int workers, double hours, double deadline, Recovery recovery) {
    double[] speeds = new double[workers];
    for (int n = 1; n <= workers; n++) {
      speeds[n - 1] = n;
    }
    return new Scenario(
        new Throughput.ByCount(speeds),
        workers * hours * 3600,
        workers,
        deadline,
        -1,
        0,
        Money.ZERO,
        recovery,
        new Checkpointing(
            DataSize.ofGb(1), true, 150, 120, 90, false, false, new SaveRule.Fixed(1500)),
        Startup.USUAL,
        Billing.BY_THE_SECOND,
        new double[3][3]);
  }

  static Run run(SpotMarket market, Scenario scenario, Policy policy) {
    Timeline timeline = new Timeline();
    Outcome outcome = Simulation.run(scenario, market, 0, policy, 1, timeline);
    return new Run(market, scenario, timeline, outcome);
  }

  static Sample sample(SpotMarket market, Scenario scenario, Supplier<Policy> policy, int runs) {
    return Experiment.run(
        scenario,
        future -> policy.get(),
        Future.starts(market, runs, 50 * 3600),
        runs,
        1,
        1,
        done -> {});
  }

  /** Writes a chart as SVG and returns it. */
  static String svg(Chart chart, Path folder) throws IOException {
    Path file = folder.resolve("chart.svg");
    chart.write(file);
    return Files.readString(file);
  }
}

package io.deepvm.simulator;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Place;
import io.deepvm.checkpoint.SaveRule;
import io.deepvm.market.Pool;
import io.deepvm.market.SpotMarket;
import io.deepvm.market.Trace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Small markets and scenarios for tests. */
final class Markets {

  static final double ON_DEMAND = 10;

  private Markets() {}

  /** One pool a row: nodes in each tick of 600 s; spot prices 3, 4, 5, ... */
  static SpotMarket of(int[]... counts) {
    return of("aws", counts);
  }

  static SpotMarket of(String cloud, int[]... counts) {
    List<Trace> traces = new ArrayList<>();
    for (int p = 0; p < counts.length; p++) {
      double[] prices = new double[counts[p].length];
      Arrays.fill(prices, 3 + p);
      traces.add(
          new Trace(
              new Pool(new Place(cloud, "region-" + p, "zone"), "gpu"),
              null,
              Duration.ofMinutes(10),
              counts[p],
              1000,
              prices,
              ON_DEMAND));
    }
    return SpotMarket.of(traces);
  }

  static int[] flat(int count, int ticks) {
    int[] counts = new int[ticks];
    Arrays.fill(counts, count);
    return counts;
  }

  /** So many workers of one unit a second each, nothing for free but time. */
  static Scenario scenario(int workers, double work, double deadline, Checkpointing checkpointing) {
    double[] speeds = new double[workers];
    for (int n = 1; n <= workers; n++) {
      speeds[n - 1] = n;
    }
    return new Scenario(
        new Throughput.ByCount(speeds),
        work,
        workers,
        deadline,
        -1,
        0,
        Money.ZERO,
        Recovery.SURVIVORS,
        checkpointing,
        new Startup(0, 0, 0),
        Billing.EXACT,
        new double[13][13]);
  }

  static Checkpointing kept(double stall, double ship, double restore, SaveRule rule) {
    return new Checkpointing(DataSize.ofGb(1), true, stall, ship, restore, false, false, rule);
  }
}

package io.deepvm.simulator;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Place;
import io.deepvm.checkpoint.SaveRule;
import io.deepvm.market.Pool;
import io.deepvm.market.SpotMarket;
import io.deepvm.market.Trace;
import io.deepvm.simulator.policy.OnDemandOnly;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Random markets, calm and hostile ones, and jobs whose deadline can be met on demand. */
final class RandomRuns {

  private static final int TICKS = 900;
  private static final String[] CLOUDS = {"aws", "gcp", "none"};

  private final SplittableRandom random;
  final SpotMarket market;
  final Scenario scenario;
  final Outcome onDemand;

  /**
   * Draws a market and a job.
   *
   * @param tightness by how much longer the deadline is than the run on demand, at most
   */
  RandomRuns(long seed, int workers, double tightness) {
    random = new SplittableRandom(seed);
    market = market(workers);
    Scenario open = scenario(workers, Double.POSITIVE_INFINITY);
    onDemand = Simulation.run(open, market, 0, new OnDemandOnly(), 1, null);
    double longer = random.nextInt(4) == 0 ? 1 : 1 + (tightness - 1) * random.nextDouble();
    scenario = withDeadline(open, onDemand.seconds() * longer);
  }

  private SpotMarket market(int workers) {
    int pools = 1 + random.nextInt(4);
    String cloud = CLOUDS[random.nextInt(CLOUDS.length)];
    List<Trace> traces = new ArrayList<>();
    for (int p = 0; p < pools; p++) {
      double[] prices = new double[TICKS];
      Arrays.fill(prices, 1 + 8 * random.nextDouble());
      traces.add(
          new Trace(
              new Pool(new Place(cloud, "region-" + p / 2, "zone-" + p), "gpu"),
              null,
              Duration.ofMinutes(5),
              counts(workers),
              10_000,
              prices,
              10.0 + p));
    }
    return SpotMarket.of(traces);
  }

  /** Plenty until one tick and nothing after it, a coin for each tick, or runs of random length. */
  private int[] counts(int workers) {
    int[] counts = new int[TICKS];
    int kind = random.nextInt(4);
    int drop = random.nextInt(200);
    double change = Math.pow(10, -3 * random.nextDouble());
    int current = workers;
    for (int t = 0; t < TICKS; t++) {
      if (kind == 0) {
        current = t < drop ? workers : 0;
      } else if (random.nextDouble() < change) {
        current = kind == 1 ? workers * random.nextInt(2) : random.nextInt(workers + 1);
      }
      counts[t] = current;
    }
    return counts;
  }

  private Scenario scenario(int workers, double deadline) {
    double exponent = random.nextBoolean() ? 1 : 0.6 + 0.4 * random.nextDouble();
    double[] speeds = new double[workers];
    for (int n = 1; n <= workers; n++) {
      speeds[n - 1] = Math.pow(n, exponent);
    }
    double hours = 1 + 19 * random.nextDouble();
    double[][] egress = new double[4][4];
    for (int i = 0; i < 4; i++) {
      for (int j = 0; j < 4; j++) {
        egress[i][j] = i / 2 == j / 2 ? 0 : 0.02;
      }
    }
    int anchors = random.nextInt(2);
    return new Scenario(
        new Throughput.ByCount(speeds),
        hours * 3600 * speeds[workers - 1],
        workers,
        deadline,
        random.nextInt(4) == 0 ? 0 : -1,
        anchors,
        anchors == 0 ? Money.ZERO : Money.parse("0.5"),
        random.nextInt(4) == 0 ? Recovery.RESTART : Recovery.SURVIVORS,
        checkpointing(),
        new Startup(
            random.nextInt(900), random.nextInt(900), random.nextInt(30), random.nextInt(300)),
        random.nextBoolean() ? Billing.BY_THE_SECOND : Billing.EXACT,
        egress);
  }

  private Checkpointing checkpointing() {
    DataSize size = DataSize.ofGb(1 + random.nextInt(100));
    int stall = random.nextInt(30);
    int ship = random.nextInt(120);
    int restore = random.nextInt(200);
    boolean justInTime = random.nextBoolean();
    SaveRule rule =
        switch (random.nextInt(5)) {
          case 0, 1 -> new SaveRule.Fixed(600 + random.nextInt(1200));
          case 2 -> new SaveRule.Daly(new SaveRule.Belief(0.1 + random.nextDouble(), 3600));
          default -> new SaveRule.EveryStep();
        };
    return random.nextInt(5) == 0
        ? Checkpointing.none(size)
        : new Checkpointing(size, true, stall, ship, restore, justInTime, false, rule);
  }

  private static Scenario withDeadline(Scenario open, double seconds) {
    return new Scenario(
        open.throughput(),
        open.work(),
        open.workers(),
        seconds,
        open.anchorPool(),
        open.anchors(),
        open.anchorsPerHour(),
        open.recovery(),
        open.checkpointing(),
        open.startup(),
        open.billing(),
        open.egressUsdPerGb());
  }
}

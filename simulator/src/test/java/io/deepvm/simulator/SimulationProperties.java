package io.deepvm.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.checkpoint.SaveRule;
import io.deepvm.market.SpotMarket;
import io.deepvm.market.UnannouncedLosses;
import io.deepvm.simulator.policy.CostFirst;
import io.deepvm.simulator.policy.Elastic;
import io.deepvm.simulator.policy.OnDemandOnly;
import io.deepvm.simulator.policy.PerformanceFirst;
import io.deepvm.simulator.policy.SpotOnly;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

/** What holds on every market, under every policy. */
class SimulationProperties {

  private static final List<Supplier<Policy>> POLICIES =
      List.of(
          OnDemandOnly::new, SpotOnly::new, CostFirst::new, PerformanceFirst::new, Elastic::new);

  /** A market, a scenario and a start, made from one number. */
  private record Case(SpotMarket market, int[][] counts, Scenario scenario, double[] speeds) {

    static Case of(long seed) {
      Random random = new Random(seed);
      int pools = 1 + random.nextInt(3);
      int ticks = 60 + random.nextInt(60);
      int workers = 1 + random.nextInt(6);
      int[][] counts = new int[pools][ticks];
      for (int[] pool : counts) {
        int now = random.nextInt(workers + 2);
        for (int t = 0; t < ticks; t++) {
          now = random.nextInt(5) == 0 ? random.nextInt(workers + 2) : now;
          pool[t] = now;
        }
      }
      double[] speeds = new double[workers];
      for (int n = 1; n <= workers; n++) {
        speeds[n - 1] = n / (1 + 0.1 * (n - 1));
      }
      double work = speeds[workers - 1] * 600 * (5 + random.nextInt(30));
      double undisturbed = work / speeds[workers - 1];
      double deadline =
          random.nextInt(4) == 0
              ? Double.POSITIVE_INFINITY
              : undisturbed * (1.2 + random.nextDouble()) + 1500;
      SaveRule rule =
          switch (random.nextInt(4)) {
            case 0 -> new SaveRule.Never();
            case 1 -> new SaveRule.EveryStep();
            case 2 -> new SaveRule.Daly(new SaveRule.Belief(0.2, 3600));
            default -> new SaveRule.Fixed(60 + random.nextInt(3000));
          };
      Checkpointing checkpointing =
          new Checkpointing(
              DataSize.ofGb(1 + random.nextInt(50)),
              random.nextInt(5) > 0,
              random.nextInt(20),
              random.nextInt(100),
              random.nextInt(200),
              random.nextBoolean(),
              random.nextBoolean(),
              rule);
      double[][] egress = new double[pools][pools];
      for (double[] row : egress) {
        Arrays.fill(row, 0.02);
      }
      int anchors = random.nextInt(3);
      Scenario scenario =
          new Scenario(
              new Throughput.ByCount(speeds),
              work,
              workers,
              deadline,
              random.nextInt(4) == 0 ? 0 : -1,
              anchors,
              anchors == 0 ? Money.ZERO : Money.parse("0.123457"),
              random.nextInt(3) == 0 ? Recovery.RESTART : Recovery.SURVIVORS,
              checkpointing,
              new Startup(
                  random.nextInt(700), random.nextInt(700), random.nextInt(30), random.nextInt(30)),
              random.nextBoolean() ? Billing.BY_THE_SECOND : Billing.EXACT,
              egress);
      UnannouncedLosses losses =
          random.nextInt(3) == 0 ? new UnannouncedLosses(0.3, 0.2) : UnannouncedLosses.NONE;
      SpotMarket market = Markets.of(counts).losing(cloud -> losses);
      return new Case(market, counts, scenario, speeds);
    }
  }

  @Property(tries = 400, seed = "20261115")
  void moneyIsConservedToTheMicroDollar(@ForAll long seed) {
    Case c = Case.of(seed);
    for (Supplier<Policy> policy : POLICIES) {
      Outcome outcome = Simulation.run(c.scenario, c.market, 0, policy.get(), seed, null);
      assertThat(sum(outcome.bill().values())).isEqualTo(outcome.cost());
      Money nodes =
          money(outcome, Charge.SPOT)
              .plus(money(outcome, Charge.ON_DEMAND))
              .plus(money(outcome, Charge.ANCHOR));
      assertThat(sum(outcome.use().values())).isEqualTo(nodes);
      outcome.use().values().forEach(m -> assertThat(m.micros()).isNotNegative());
      outcome.nodeSeconds().values().forEach(s -> assertThat(s).isNotNegative());
    }
  }

  @Property(tries = 400, seed = "20261115")
  void theBoundIsBelowWhatAnyRunInTimeCosts(@ForAll long seed) {
    Case c = Case.of(seed);
    for (Supplier<Policy> policy : POLICIES) {
      Outcome outcome = Simulation.run(c.scenario, c.market, 0, policy.get(), seed, null);
      if (outcome.finished()) {
        double bound = ElasticBound.usd(c.scenario, c.speeds, c.market, 0, outcome.seconds());
        assertThat(bound).isLessThanOrEqualTo(outcome.cost().dollars() + 1e-5);
      }
    }
  }

  @Property(tries = 200, seed = "20261115")
  void moreCapacityNeverRaisesTheBound(@ForAll long seed) {
    Case c = Case.of(seed);
    double within = Math.min(c.scenario.deadlineSeconds(), 600.0 * c.market.ticks());
    double bound = ElasticBound.usd(c.scenario, c.speeds, c.market, 0, within);
    Random random = new Random(seed);
    int[][] more = Arrays.stream(c.counts).map(int[]::clone).toArray(int[][]::new);
    more[random.nextInt(more.length)][random.nextInt(more[0].length)]++;
    assertThat(ElasticBound.usd(c.scenario, c.speeds, Markets.of(more), 0, within))
        .isLessThanOrEqualTo(bound);
  }

  @Property(tries = 1000, seed = "20261115")
  void whatIsUsefulIsTheWorkThatWasKept(@ForAll long seed) {
    Case c = Case.of(seed);
    Outcome outcome = Simulation.run(c.scenario, c.market, 0, new PerformanceFirst(), seed, null);
    if (outcome.finished() && c.speeds.length == 1) {
      // One worker: a unit of work is a second of its time, and the end is rounded to a
      // millisecond.
      assertThat(outcome.nodeSeconds().getOrDefault(Activity.USEFUL, 0.0))
          .isCloseTo(c.scenario.work(), within(0.01));
    }
    double all = outcome.nodeSeconds().values().stream().mapToDouble(Double::doubleValue).sum();
    assertThat(outcome.goodput()).isBetween(0.0, 1.0);
    assertThat(all).isPositive();
  }

  @Property(tries = 30, seed = "20261115")
  void theSameSeedGivesTheSameForAnyNumberOfThreads(@ForAll long seed) {
    Case c = Case.of(seed);
    Future.Source futures = Future.blocks(c.market, 6000, 600.0 * c.market.ticks());
    Sample one = Experiment.run(c.scenario, f -> new Elastic(), futures, 40, seed, 1, n -> {});
    Sample two = Experiment.run(c.scenario, f -> new Elastic(), futures, 40, seed, 2, n -> {});
    for (int run = 0; run < 40; run++) {
      assertThat(one.usd(run)).isEqualTo(two.usd(run));
      assertThat(one.met(run)).isEqualTo(two.met(run));
    }
    assertThat(use(one.done())).isEqualTo(use(two.done()));
    assertThat(use(one.notDone())).isEqualTo(use(two.notDone()));
  }

  private static Map<Activity, Double> use(@Nullable RunStatistics runs) {
    return runs == null ? Map.of() : runs.use();
  }

  private static Money money(Outcome outcome, Charge charge) {
    return outcome.bill().getOrDefault(charge, Money.ZERO);
  }

  private static Money sum(Iterable<Money> parts) {
    Money sum = Money.ZERO;
    for (Money part : parts) {
      sum = sum.plus(part);
    }
    return sum;
  }
}

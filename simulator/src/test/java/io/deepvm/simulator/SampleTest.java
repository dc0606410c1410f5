package io.deepvm.simulator;

import static io.deepvm.simulator.Markets.flat;
import static io.deepvm.simulator.Markets.scenario;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.market.SpotMarket;
import io.deepvm.simulator.policy.SpotOnly;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Figures are worked out by hand. */
class SampleTest {

  private static final double HORIZON = 36_000;

  @Test
  void runsThatWereDoneAndRunsThatWereNotHaveSeparateStatistics() {
    Sample sample = sample(done(10, 3600, true), done(30, 10_800, false), done(20, 7200, true));
    assertThat(sample.notDone()).isNull();

    sample =
        sample(done(10, 3600, true), notDone(100), done(30, 10_800, false), done(20, 7200, true));
    RunStatistics done = Objects.requireNonNull(sample.done());
    assertThat(done.runs()).isEqualTo(3);
    assertThat(done.cost().mean()).isEqualTo(20);
    // The standard deviation is 10, of three runs.
    assertThat(done.cost().meanMargin()).isCloseTo(1.959964 * 10 / Math.sqrt(3), within(1e-12));
    assertThat(done.seconds().mean()).isEqualTo(7200);
    assertThat(done.seconds().at(0.95)).isEqualTo(10_800);
    assertThat(done.losses().mean()).isEqualTo(1);
    assertThat(done.bill()).containsEntry(Charge.SPOT, 20.0);
    RunStatistics notDone = Objects.requireNonNull(sample.notDone());
    assertThat(notDone.runs()).isEqualTo(1);
    assertThat(notDone.cost().mean()).isEqualTo(100);
    assertThat(notDone.seconds().mean()).isEqualTo(HORIZON);
    assertThat(notDone.losses().mean()).isEqualTo(9);
  }

  @Test
  void aRunThatWasNotDoneIsLateAndDearerThanAnyOther() {
    Sample sample =
        sample(done(10, 3600, true), notDone(1), done(30, 10_800, false), done(20, 7200, true));
    assertThat(sample.missed()).isEqualTo(0.5);
    assertThat(sample.unfinished()).isEqualTo(1);
    assertThat(sample.unfinishedShare()).isEqualTo(0.25);
    assertThat(sample.usdAt(0.75)).isEqualTo(30);
    assertThat(sample.usdAt(0.76)).isInfinite();
    assertThat(sample.secondsAt(0.5)).isEqualTo(7200);
    assertThat(sample.secondsAt(0.95)).isInfinite();
    assertThat(sample.medianRun()).isEqualTo(3);
  }

  @Test
  void withoutARunThatWasDoneThereIsNoMean() {
    Sample sample = sample(notDone(7), notDone(5), notDone(6));
    assertThat(sample.done()).isNull();
    assertThat(sample.meanUsd()).isInfinite();
    assertThat(sample.missed()).isEqualTo(1);
    assertThat(sample.unfinishedInterval()[1]).isEqualTo(1);
    assertThat(sample.medianRun()).isEqualTo(2);
  }

  @Test
  void theWilsonIntervalOfOneInFourIsTheTextbooks() {
    Sample sample =
        sample(done(10, 3600, true), notDone(100), done(30, 9000, true), done(20, 7200, true));
    assertThat(sample.unfinishedInterval()[0]).isCloseTo(0.0456, within(1e-4));
    assertThat(sample.unfinishedInterval()[1]).isCloseTo(0.6994, within(1e-4));
  }

  @Test
  void kindsOfCoursesWidenTheIntervalToTheRangeOfAllKinds() {
    // Runs 0, 2, 4, ... are in time, runs 1, 3, 5, ... are late: one kind never misses, one always.
    Sample known = new Sample(40, HORIZON);
    Sample borrowed = new Sample(40, HORIZON, 2);
    for (int run = 0; run < 40; run++) {
      known.put(run, done(10, 3600, run % 2 == 0));
      borrowed.put(run, done(10, 3600, run % 2 == 0));
    }
    assertThat(borrowed.missed()).isEqualTo(0.5).isEqualTo(known.missed());
    assertThat(known.missedInterval()[0]).isCloseTo(0.352, within(1e-3));
    assertThat(known.missedInterval()[1]).isCloseTo(0.648, within(1e-3));
    assertThat(borrowed.missedInterval()).containsExactly(0, 1);
    assertThat(borrowed.unfinishedInterval()[0]).isZero();
    // Fewer runs than kinds: the kinds without a run say nothing.
    Sample one = new Sample(1, HORIZON, 5);
    one.put(0, done(10, 3600, true));
    assertThat(one.missedInterval()[0]).isZero();
  }

  @Test
  void allRunsHaveTheSameHorizonWhereverTheyStart() {
    // Nodes come at tick 50 only: a run that could wait for them would be done.
    int[] counts = flat(0, 100);
    Arrays.fill(counts, 50, 100, 2);
    SpotMarket market = Markets.of(counts);
    Scenario scenario =
        scenario(2, 1200, Double.POSITIVE_INFINITY, Checkpointing.none(DataSize.ofGb(1)));
    Sample sample =
        Experiment.run(
            scenario, f -> new SpotOnly(), Future.starts(market, 91, 6000), 91, 1, 1, n -> {});
    assertThat(sample.horizonSeconds()).isEqualTo(6000);
    // Starts 0 to 40 end before tick 50; start 41 has a tick of 600 s for 1,200 units of two nodes.
    assertThat(sample.unfinished()).isEqualTo(41);
    RunStatistics notDone = Objects.requireNonNull(sample.notDone());
    assertThat(notDone.seconds().at(0)).isEqualTo(6000);
    assertThat(notDone.seconds().at(1)).isEqualTo(6000);
  }

  private static Sample sample(Outcome... outcomes) {
    Sample sample = new Sample(outcomes.length, HORIZON);
    for (int run = 0; run < outcomes.length; run++) {
      sample.put(run, outcomes[run]);
    }
    return sample;
  }

  private static Outcome done(int usd, double seconds, boolean inTime) {
    return outcome(true, usd, seconds, inTime, 1);
  }

  private static Outcome notDone(int usd) {
    return outcome(false, usd, HORIZON, false, 9);
  }

  private static Outcome outcome(
      boolean finished, int usd, double seconds, boolean inTime, int losses) {
    Money cost = Money.parse(String.valueOf(usd));
    return new Outcome(
        finished,
        seconds,
        inTime,
        cost,
        Map.of(Charge.SPOT, cost),
        Map.of(Activity.USEFUL, cost),
        Map.of(Activity.USEFUL, seconds),
        losses,
        1,
        0);
  }
}

package io.deepvm.simulator.forecast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import io.deepvm.planner.MemberRates;
import io.deepvm.simulator.NodeLoad;
import io.deepvm.simulator.RunStatistics;
import io.deepvm.simulator.Sample;
import io.deepvm.simulator.Stage;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ForecasterTest {

  private static final int RUNS = 200;

  /** Two H100 zones, a V100 zone, a job of one worker and one whose anchor trains. */
  static Stream<RecordedJob> someOfTheTwenty() {
    return IntStream.of(0, 4, 8, 14, 15).mapToObj(RecordedJob.twenty()::get);
  }

  @ParameterizedTest
  @MethodSource("someOfTheTwenty")
  void planIsWithinTenPercentOfTheSimulatedMean(RecordedJob job) {
    RunForecast planned = job.planned();
    Sample simulated = job.simulated(RUNS);
    RunStatistics done = Objects.requireNonNull(simulated.done());

    assertThat(planned.seconds().mean()).isCloseTo(done.seconds().mean(), withPercentage(10));
    assertThat(planned.usd().mean()).isCloseTo(done.cost().mean(), withPercentage(10));
  }

  @Test
  void zoneThatNeverHasTheWorkersFinishesNothing() {
    RecordedJob job = new RecordedJob("gcp-h100-2025-10", 4, 16, 2, 2, false);

    assertThat(job.simulated(RUNS).finished()).isZero();
    assertThat(job.planned().doneShare()).isZero();
    assertThat(job.planned().seconds().mean()).isInfinite();
  }

  @Test
  void crashWhereTooFewMembersHoldASplitModelCostsNothing() {
    // The model is split over four workers: fewer make no progress.
    double[] speeds = {0, 0, 0, 1};
    RunForecast planned =
        RecordedJob.forecast(new RecordedJob("aws-v100-2023-02", 1, 4, 6, 2, false).stage(speeds));

    assertThat(planned.seconds().mean()).isFinite().isGreaterThan(6 * 3600);
    assertThat(planned.usd().mean()).isFinite().isPositive();
  }

  @Test
  void trafficBetweenPlacesIsPartOfTheExpectedCost() {
    RecordedJob job = new RecordedJob("aws-v100-2023-02", 1, 4, 6, 2, false);
    double[] speeds = {0.25, 0.5, 0.75, 1};
    Stage free = job.stage(new MemberRates(speeds));
    Stage paid = job.stage(new MemberRates(speeds, new double[] {0, 5, 10, 20}));

    double planned = RecordedJob.forecast(paid).usd().mean();
    RunStatistics done = Objects.requireNonNull(RecordedJob.simulated(paid, RUNS).done());

    // 6 h of all four pay $120; fewer members train for longer
    assertThat(planned - RecordedJob.forecast(free).usd().mean()).isBetween(90.0, 140.0);
    assertThat(planned).isCloseTo(done.cost().mean(), withPercentage(10));
  }

  /** Loads of half a tick and of several ticks. */
  @ParameterizedTest
  @ValueSource(doubles = {300, 4000})
  void filesThatNodesLoadTakeTimeAndMoney(double seconds) {
    RecordedJob job = new RecordedJob("aws-v100-2023-02", 1, 4, 6, 2, false);
    MemberRates rates = new MemberRates(new double[] {0.25, 0.5, 0.75, 1});
    Stage loading = job.stage(rates, new NodeLoad(seconds, 3, 0.05));

    RunForecast free = RecordedJob.forecast(job.stage(rates));
    RunForecast planned = RecordedJob.forecast(loading);
    RunStatistics done = Objects.requireNonNull(RecordedJob.simulated(loading, RUNS).done());

    assertThat(planned.seconds().mean() - free.seconds().mean()).isGreaterThan(seconds);
    // each node pays $3 at least once
    assertThat(planned.usd().mean() - free.usd().mean()).isGreaterThan(12);
    assertThat(planned.seconds().mean()).isCloseTo(done.seconds().mean(), withPercentage(10));
    assertThat(planned.usd().mean()).isCloseTo(done.cost().mean(), withPercentage(10));
  }

  @Test
  void partsAddUpToTheTime() {
    RunForecast planned = new RecordedJob("aws-v100-2023-02", 1, 4, 6, 2, false).planned();

    double sum = planned.parts().values().stream().mapToDouble(Double::doubleValue).sum();
    assertThat(sum).isCloseTo(planned.seconds().mean(), withPercentage(1e-9));
    assertThat(planned.parts().get(RunForecast.Part.LOST_WORK)).isPositive();
    assertThat(planned.seconds().low()).isLessThan(planned.seconds().mean());
  }
}

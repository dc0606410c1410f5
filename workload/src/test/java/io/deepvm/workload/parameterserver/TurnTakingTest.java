package io.deepvm.workload.parameterserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.workload.fit.TurnFit;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.statistics.Statistics;
import org.junit.jupiter.api.Test;

/** 10 MB over 800 Mbit/s take 0.1 s; with wire 1.1 and 0.01 s a turn, 0.12 s. */
class TurnTakingTest {

  /** A build must not depend on luck; take the seed away to look for more. */
  private static final String SEED = "20261117";

  private static final Bandwidth LINK = Bandwidth.ofMbps(800);
  private static final TurnTaking TURNS = new TurnTaking(1.1, 0.01, 0.06);

  private static final ParameterServerProfile CONTENDING =
      new ParameterServerProfile(
          new DataSize(10_000_000),
          LINK,
          LINK,
          Contention.of(0.5, 0),
          new LossCurve(0, 0, 1, 0, null),
          Map.of());

  private static ClusterSpeed speed(Bandwidth servers, WorkerGroup... cluster) {
    return model(servers).played(List.of(cluster));
  }

  private static ParameterServerModel model(Bandwidth servers) {
    return new ParameterServerModel(CONTENDING.withTurns(TURNS), servers);
  }

  private static WorkerGroup workers(double computeSeconds, int count) {
    return new WorkerGroup(new WorkerType("w", 1, 8, computeSeconds, LINK, LINK), count);
  }

  @Test
  void aloneNobodyWaits() {
    // 0.2 computing, two transfers of 0.12, 0.06 of its own: 0.5 s for 8 samples.
    ClusterSpeed speed = speed(LINK, workers(0.2, 1));
    assertThat(speed.samplesPerSecond()).isCloseTo(16, within(1e-9));
    assertThat(speed.groups().get(0).communicationSeconds()).isCloseTo(0.3, within(1e-9));
    assertThat(speed.groups().get(0).contentionSeconds()).isZero();
  }

  @Test
  void equalWorkersMissEachOtherUntilTheLinkIsFull() {
    // Four times 0.12 s fit into 0.5 s, so that after the first round nobody waits.
    assertThat(speed(LINK, workers(0.2, 4)).samplesPerSecond()).isCloseTo(64, within(1e-9));
    // Six do not: one iteration every 0.12 s, each of 0.72 s, of which 0.22 s are waiting.
    ClusterSpeed full = speed(LINK, workers(0.2, 6));
    assertThat(full.samplesPerSecond()).isCloseTo(8 / 0.12, within(1e-9));
    assertThat(full.iterationSeconds()).isCloseTo(0.12, within(1e-9));
    assertThat(full.groups().get(0).contentionSeconds()).isCloseTo(0.22, within(1e-9));
  }

  @Test
  void aSlowWorkerHardlyMeetsAFastOne() {
    // The slow one's 0.12 s delay the fast one now and then, never by more than both its transfers.
    ClusterSpeed speed = speed(LINK, workers(0.2, 1), workers(1.2, 1));
    double apart = 8 / 0.5 + 8 / 1.5;
    assertThat(speed.samplesPerSecond()).isBetween(apart * 0.9, apart);
  }

  @Test
  void widerServersServeSeveralAtOnce() {
    assertThat(speed(Bandwidth.ofMbps(1600), workers(0.2, 6)).samplesPerSecond())
        .isCloseTo(6 * 16, within(1e-9));
  }

  /** What the searches go by: exact for equal workers, and nothing has to be played. */
  @Property(tries = 300, seed = SEED)
  void equalWorkersNeedNotBePlayed(
      @ForAll @DoubleRange(max = 2) double computeSeconds,
      @ForAll @IntRange(min = 1, max = 40) int workers,
      @ForAll @IntRange(min = 200, max = 4000) int serverMbps) {
    ParameterServerModel model = model(Bandwidth.ofMbps(serverMbps));
    List<WorkerGroup> cluster = List.of(workers(computeSeconds, workers));
    ClusterSpeed played = model.played(cluster);
    ClusterSpeed planned = model.speed(cluster);
    assertThat(planned.samplesPerSecond())
        .isCloseTo(played.samplesPerSecond(), withinPercentage(1));
    assertThat(planned.groups().get(0).contentionSeconds())
        .isCloseTo(played.groups().get(0).contentionSeconds(), within(0.01 * played.workers()));
    assertThat(model.iterationSeconds(cluster.get(0).type(), workers) / workers)
        .isCloseTo(planned.iterationSeconds(), within(1e-9));
  }

  @Property(tries = 1000, seed = SEED)
  void unlikeWorkersAreHardlyPlannedFasterThanTheyArePlayed(
      @ForAll @DoubleRange(max = 2) double one,
      @ForAll @DoubleRange(max = 2) double other,
      @ForAll @IntRange(min = 1, max = 10) int ones,
      @ForAll @IntRange(min = 1, max = 10) int others) {
    List<WorkerGroup> cluster = List.of(workers(one, ones), workers(other, others));
    double ratio =
        model(LINK).speed(cluster).samplesPerSecond()
            / model(LINK).played(cluster).samplesPerSecond();
    // where the link is nearly full they meet by chance, which planning does not see
    assertThat(ratio).isLessThan(1.25);
    Statistics.label("by less than 5 %").collect(ratio < 1.05);
    Statistics.label("by less than 5 %").coverage(all -> all.check(true).percentage(p -> p > 90));
  }

  @Test
  void withoutTurnsThePublishedContentionHolds() {
    // P = 0.5 * sqrt(4) = 1: a quarter of 100 MB/s each, 0.8 s; PCIe 0.2 s; computing 0.2 s.
    assertThat(
            new ParameterServerModel(CONTENDING, LINK)
                .speed(List.of(workers(0.2, 4)))
                .samplesPerSecond())
        .isCloseTo(4 * 8 / 1.2, within(1e-9));
  }

  @Test
  void theFitFindsWhatTheMeasurementsWereMadeOf() {
    TurnTaking found =
        TurnFit.of(
                List.of(new TurnFit.Point(0.1, 0.3), new TurnFit.Point(0.2, 0.52)),
                List.of(new TurnFit.Point(0.1, 0.12), new TurnFit.Point(0.3, 0.34)))
            .turns();
    assertThat(found.wire()).isCloseTo(1.1, within(1e-6));
    assertThat(found.turnSeconds()).isCloseTo(0.01, within(1e-6));
    assertThat(found.ownSeconds()).isCloseTo(0.06, within(1e-6));
  }

  @Test
  void refusesTurnsThatTakeNoTime() {
    assertThatThrownBy(() -> new TurnTaking(0, 0, 0)).isInstanceOf(BadInput.class);
  }
}

package io.deepvm.market;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Place;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DependenceTest {

  private static final int TICKS = 400_000;
  private static final int NODES = 4;
  private static final double LOSS = 0.05;
  private static final double RETURN = 0.08;
  private static final double UP = RETURN / (LOSS + RETURN);

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.4, 0.71, 1})
  void eachNodeKeepsItsShareOfTimeUpAndItsRateOfLosses(double share) {
    int[] counts = drawn(share, 1);
    assertThat(mean(counts) / NODES).isCloseTo(UP, within(0.01));
    double lost = 0;
    double up = 0;
    for (int t = 1; t < TICKS; t++) {
      up += counts[t - 1];
      lost += Math.max(0, counts[t - 1] - counts[t]);
    }
    // Losses of one node in a tick in which another comes back are not seen in counts.
    assertThat(lost / up).isBetween(0.85 * LOSS, 1.01 * LOSS);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.4, 0.71, 1})
  void countsVaryAsTheMixtureOfOneCourseAndManySays(double share) {
    int[] counts = drawn(share, 2);
    double mean = mean(counts);
    double variance = Arrays.stream(counts).mapToDouble(c -> (c - mean) * (c - mean)).sum() / TICKS;
    double correlation = (variance / (NODES * UP * (1 - UP)) - 1) / (NODES - 1);
    assertThat(correlation).isCloseTo(share, within(0.03));
    // Closed form: none are up when the common course is down, or all own courses are.
    double none = Arrays.stream(counts).filter(c -> c == 0).count() / (double) TICKS;
    assertThat(none)
        .isCloseTo(share * (1 - UP) + (1 - share) * Math.pow(1 - UP, NODES), within(0.02));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.4, 0.71, 1})
  void aLostNodeTakesAnotherAlongWithTheStatedChance(double share) {
    double measured = Dependence.measured(List.of(trace(drawn(share, 3))));
    // Nodes on their own courses meet in a tick by chance, too.
    assertThat(measured).isBetween(share - 0.03, share + (1 - share) * LOSS + 0.04);
  }

  @Test
  void theSameSeedGivesTheSameCounts() {
    assertThat(drawn(0.71, 5)).isEqualTo(drawn(0.71, 5)).isNotEqualTo(drawn(0.71, 6));
  }

  @Test
  void onlyNodesLostBesideOthersAreMeasured() {
    // Of 4 nodes 3 go: each of them takes 2 of 3 others along. Then the last goes alone.
    assertThat(Dependence.measured(List.of(trace(4, 1, 0)))).isCloseTo(2 / 3.0, within(1e-12));
    assertThat(Dependence.measured(List.of(trace(4, -1, 0, 4, 4)))).isNaN();
  }

  @Test
  void theBuiltInCountsOfGcpAreNearTheStatedDependence() {
    double gcp = Dependence.measured(Markets.load("gcp-h100-2025-10").traces());
    assertThat(gcp).isCloseTo(0.685, within(0.005));
  }

  @Test
  void theCountsOfBothCloudsGiveTheStatedDependence() {
    List<Trace> all = new ArrayList<>(Markets.load("gcp-h100-2025-10").traces());
    for (String folder :
        List.of("preemption/4-node/aws-08-03-2023", "availability/16-node/aws-08-27-2023")) {
      all.addAll(Markets.load(Shared.path("data/traces/" + folder)).traces());
    }
    assertThat(Dependence.measured(all)).isCloseTo(Dependence.MEASURED.share(), within(0.005));
  }

  @Test
  void aRecordOfOneNodeIsLivedBySeveralThatAreUpAsOften() {
    int[] record = drawn(1, 7);
    Arrays.setAll(record, t -> record[t] > 0 ? 12 : 0);
    SpotMarket market = SpotMarket.of(List.of(trace(record)));
    SplitRecord split = new SplitRecord(market, new boolean[] {true}, 12, Dependence.INDEPENDENT);
    int[] counts = split.split(market, 9).counts(0);
    assertThat(mean(counts)).isCloseTo(mean(record), within(0.15));
    assertThat(Arrays.stream(counts).filter(c -> c > 0 && c < 12).count()).isGreaterThan(TICKS / 2);
    assertThat(split.split(market, 9).counts(0)).isEqualTo(counts);
    SplitRecord together = new SplitRecord(market, new boolean[] {true}, 12, Dependence.TOGETHER);
    assertThat(together.split(market.window(5, 100), 9).counts(0))
        .isEqualTo(Arrays.copyOfRange(record, 5, 105));
    SplitRecord counted =
        new SplitRecord(market, new boolean[] {false}, 12, Dependence.INDEPENDENT);
    assertThat(counted.split(market, 9).counts(0)).isEqualTo(record);
  }

  @Test
  void aDependenceAboveOneIsRefused() {
    assertThatThrownBy(() -> new Dependence(1.2)).isInstanceOf(BadInput.class);
  }

  private static int[] drawn(double share, long seed) {
    Random random = new Random(seed);
    return new Dependence(share).counts(course(random), () -> course(random), NODES, 600, random);
  }

  /** A course without memory: the closed forms hold for it. */
  private static boolean[] course(Random random) {
    boolean[] course = new boolean[TICKS];
    boolean up = random.nextDouble() < UP;
    for (int t = 0; t < TICKS; t++) {
      course[t] = up;
      up = up ? random.nextDouble() >= LOSS : random.nextDouble() < RETURN;
    }
    return course;
  }

  private static double mean(int[] counts) {
    return Arrays.stream(counts).average().orElseThrow();
  }

  private static Trace trace(int... counts) {
    double[] prices = new double[counts.length];
    Arrays.fill(prices, 1);
    return new Trace(
        new Pool(new Place("aws", "us-east-1", "a"), "gpu"),
        null,
        Duration.ofMinutes(10),
        counts,
        16,
        prices,
        2.0);
  }
}

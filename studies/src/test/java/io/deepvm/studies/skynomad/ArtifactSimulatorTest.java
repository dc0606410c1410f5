package io.deepvm.studies.skynomad;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.simulator.gang.GangMarket;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** The original's ways, on cases small enough to be reckoned by hand: a dollar a tick on spot. */
class ArtifactSimulatorTest {

  private static final Offset<Double> CENT = within(1e-9);
  private static final ArtifactCase EASY = new ArtifactCase(2, 4, 0.2, 50, 0);
  private static final ArtifactCase TIGHT = new ArtifactCase(4.5, 5, 0.2, 50, 0);

  private static GangMarket market(double[] prices, String... zones) {
    List<String> names = List.of("us-east4-a_x_1", "europe-west1-c_x_1").subList(0, zones.length);
    boolean[][] up = new boolean[zones.length][];
    double[][] spot = new double[zones.length][];
    double[] onDemand = new double[zones.length];
    for (int z = 0; z < zones.length; z++) {
      up[z] = new boolean[zones[z].length()];
      for (int t = 0; t < up[z].length; t++) {
        up[z][t] = zones[z].charAt(t) == '#';
      }
      spot[z] = prices;
      onDemand[z] = 30;
    }
    double[][] egress = new double[zones.length][zones.length];
    for (double[] row : egress) {
      Arrays.fill(row, 0.02);
    }
    return GangMarket.of(
        names,
        names.stream().map(ArtifactEgress::region).toList(),
        600,
        up,
        spot,
        onDemand,
        egress);
  }

  private static double[] even() {
    double[] prices = new double[40];
    Arrays.fill(prices, 6);
    return prices;
  }

  private static String times(int n, String what) {
    return String.join("", Collections.nCopies(n, what));
  }

  @Test
  void overSeveralZonesTheLastTickIsNotReported() {
    ArtifactOutcome several = ArtifactSimulator.run("UP(S)", market(even(), times(26, "#")), EASY);
    assertThat(several.publishedDollars()).isEqualTo(13, CENT);
    assertThat(several.full().dollars()).isEqualTo(14, CENT);
    ArtifactOutcome one = ArtifactSimulator.run("UP", market(even(), times(26, "#")), EASY);
    assertThat(one.publishedDollars()).isEqualTo(14, CENT);
  }

  @Test
  void theSafetyNetTurnsHealthySpotIntoOnDemand() {
    ArtifactOutcome outcome = ArtifactSimulator.run("UP(S)", market(even(), times(33, "#")), TIGHT);
    assertThat(outcome.safetyNet()).isTrue();
    assertThat(outcome.full().finishTick()).isEqualTo(30);
    assertThat(outcome.full().dollars()).isEqualTo(1 + 29 * 5, CENT);
  }

  @Test
  void uniformProgressInOneZoneTakesTwoRestartsThatFillTheTimeForTooMany() {
    ArtifactOutcome outcome = ArtifactSimulator.run("UP", market(even(), times(33, "#")), TIGHT);
    assertThat(outcome.publishedDollars()).isEqualTo(29 * 5, CENT);
  }

  @Test
  void inOneZoneATickIsPaidAtThePriceOfTheNext() {
    double[] prices = new double[40];
    Arrays.setAll(prices, t -> t < 3 ? 6 : 12);
    assertThat(ArtifactSimulator.run("UP", market(prices, times(26, "#")), EASY).publishedDollars())
        .isEqualTo(2 + 12 * 2, CENT);
  }

  @Test
  void aJobLongerThanItsDeadlineIsReportedAsAllOnDemand() {
    ArtifactOutcome outcome =
        ArtifactSimulator.run(
            "SkyNomad", market(even(), times(26, "#")), new ArtifactCase(3, 3.1, 0.2, 50, 0));
    assertThat(outcome.publishedDollars()).isEqualTo(3.2 * 30, CENT);
  }

  @Test
  void thePlanCalledOptimalRoundsRestartsUp() {
    // Two whole ticks of restart in the plan, so the 12 ticks of work begin at tick 10 at the
    // latest; the simulator credits the second tick in part.
    ArtifactOutcome outcome =
        ArtifactSimulator.run("Optimal", market(even(), times(26, "#")), EASY);
    assertThat(outcome.full().dollars()).isEqualTo(14, CENT);
  }

  @Test
  void regionsAndTrafficAreReadOffTheNames() {
    assertThat(ArtifactEgress.region("us-east-1c_v100_1")).isEqualTo("us-east-1");
    assertThat(ArtifactEgress.region("us-east4-a_h100_16")).isEqualTo("us-east4");
    assertThat(ArtifactEgress.perGb("us-east-1", "us-east-2")).isEqualTo(0.01);
    assertThat(ArtifactEgress.perGb("us-east-2", "us-west-2")).isEqualTo(0.02);
    assertThat(ArtifactEgress.perGb("ap-south-1", "ap-east-1")).isEqualTo(0.08);
    assertThat(ArtifactEgress.perGb("sa-east-1", "us-east-1")).isEqualTo(0.138);
    assertThat(ArtifactEgress.perGb("us-central1", "us-central1")).isZero();
    assertThat(ArtifactEgress.seconds("us-central1", "us-west1", 50))
        .isEqualTo(50 * 8192 / 8200.0 - 50 * 8192 / 9720.0, CENT);
    assertThat(ArtifactEgress.seconds("us-central1", "asia-south2", 50))
        .isEqualTo(50 * 8192 / 3590.0 - 50 * 8192 / 9720.0, CENT);
  }
}

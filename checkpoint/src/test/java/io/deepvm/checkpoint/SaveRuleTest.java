package io.deepvm.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.BadInput;
import org.junit.jupiter.api.Test;

class SaveRuleTest {

  private static final double UPTIME = 7200;
  private static final SaveRule.Belief NOTHING = new SaveRule.Belief(0, 0);

  @Test
  void dalysRuleLosesTheLeastTime() {
    for (double stall : new double[] {0.01, 0.5, 5, 300}) {
      double best = new SaveRule.Daly(NOTHING).seconds(new SaveRule.Cost(stall, 0), 2, 2 * UPTIME);
      assertThat(best).isCloseTo(leastWaste(stall, UPTIME), within(0.02 * best));
    }
  }

  /** Searches the interval with the least expected time under exponential failures. */
  private static double leastWaste(double cost, double uptime) {
    double best = 0;
    double least = Double.MAX_VALUE;
    for (double t = cost; t < uptime; t *= 1.001) {
      double expected = uptime * Math.expm1((t + cost) / uptime) / t;
      if (expected < least) {
        least = expected;
        best = t;
      }
    }
    return best;
  }

  @Test
  void youngsRuleIsTheRootOfTwiceTheStallTimesTheUptime() {
    SaveRule young = new SaveRule.Young(NOTHING);
    assertThat(young.seconds(new SaveRule.Cost(8, 0), 1, 900)).isEqualTo(120);
  }

  @Test
  void aBeliefCountsLikeLossesThatWereSeen() {
    SaveRule.Cost cost = new SaveRule.Cost(8, 0);
    SaveRule believing = new SaveRule.Young(new SaveRule.Belief(1, 900));
    assertThat(believing.seconds(cost, 0, 0)).isEqualTo(120);
    assertThat(believing.seconds(cost, 1, 900)).isEqualTo(120);
    assertThat(believing.seconds(cost, 3, 0)).isEqualTo(60);
    assertThat(believing.seconds(cost, 0, 2700)).isEqualTo(240);
  }

  @Test
  void noRuleSavesMoreOftenThanASaveCanBeWritten() {
    SaveRule.Cost slow = new SaveRule.Cost(8, 500);
    assertThat(new SaveRule.Young(NOTHING).seconds(slow, 1, 900)).isEqualTo(500);
    assertThat(new SaveRule.Daly(NOTHING).seconds(slow, 1, 900)).isEqualTo(500);
  }

  @Test
  void withoutLossesNothingIsSaved() {
    SaveRule.Cost cost = new SaveRule.Cost(8, 0);
    assertThat(new SaveRule.Young(NOTHING).seconds(cost, 0, 900)).isInfinite();
    assertThat(new SaveRule.Daly(NOTHING).seconds(cost, 0, 900)).isInfinite();
    assertThat(new SaveRule.Never().seconds(cost, 9, 900)).isInfinite();
  }

  @Test
  void aStallLongerThanLossesAreApartIsNotSubtracted() {
    SaveRule daly = new SaveRule.Daly(NOTHING);
    assertThat(daly.seconds(new SaveRule.Cost(2000, 0), 1, 900)).isEqualTo(900);
  }

  @Test
  void aTimeOfNothingKeepsEveryStep() {
    assertThat(SaveRule.every(0)).isEqualTo(new SaveRule.EveryStep());
    assertThat(SaveRule.every(60)).isEqualTo(new SaveRule.Fixed(60));
    assertThatThrownBy(() -> SaveRule.every(-1))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("-1.0 s");
  }
}

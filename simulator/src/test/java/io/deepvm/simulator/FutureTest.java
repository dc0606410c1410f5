package io.deepvm.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.market.SpotMarket;
import io.deepvm.market.UnannouncedLosses;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class FutureTest {

  private static final SpotMarket RECORD =
      Markets.of(new int[] {5, 4, 3, 0}, new int[] {1, 2, 3, 4});
  private static final double TICK = 600;

  private static int[] counts(SpotMarket market, int pool) {
    int[] counts = new int[market.ticks()];
    for (int t = 0; t < counts.length; t++) {
      counts[t] = market.available(pool, t);
    }
    return counts;
  }

  @Test
  void aRecordThatIsUsedUpBeginsAgain() {
    Future.Source source = Future.goingOn(Future.starts(RECORD, 1, 4 * TICK), 10 * TICK);
    SpotMarket market = source.of(0, 1).market();

    assertThat(counts(market, 0)).startsWith(5, 4, 3, 0, 5, 4, 3, 0, 5, 4).hasSize(12);
    assertThat(counts(market, 1)).startsWith(1, 2, 3, 4, 1, 2, 3, 4, 1, 2);
    assertThat(market.spotUsdPerHour(1, 11)).isEqualTo(RECORD.spotUsdPerHour(1, 3));
  }

  @Test
  void aDrawnCourseBeginsAsItWouldAloneAndItsSourceDrawsTheRest() {
    Future.Source drawn =
        (run, seed) ->
            new Future(Markets.of(new int[] {(int) (seed & 0xff), (int) (seed >>> 8 & 0xff)}), 0);
    SpotMarket alone = drawn.of(0, 77).market();
    SpotMarket market = Future.goingOn(drawn, 100 * TICK).of(0, 77).market();
    SpotMarket again = Future.goingOn(drawn, 100 * TICK).of(0, 77).market();

    assertThat(market.ticks()).isEqualTo(100);
    assertThat(counts(market, 0)).startsWith(counts(alone, 0)).isEqualTo(counts(again, 0));
    assertThat(Arrays.stream(counts(market, 0)).distinct().count()).isGreaterThan(50);
  }

  @Test
  void fewerRunsAreSpreadOverAllStartsAndAllKinds() {
    Future.Source source = Future.starts(RECORD, 3, 2 * TICK);
    assertThat(source.every(2).of(1, 1).market().available(0, 0))
        .isEqualTo(source.of(2, 1).market().available(0, 0));
    Future.Source kinds =
        new Future.Source() {
          @Override
          public Future of(int run, long seed) {
            return new Future(Markets.of(new int[] {run % 4}), 0);
          }

          @Override
          public int kinds() {
            return 4;
          }
        };
    // Every 10th run is of kind 0 or 2; every 9th is of each kind by turns.
    assertThat(kinds.every(10).of(1, 1).market().available(0, 0)).isEqualTo(9 % 4);
    assertThat(kinds.losing(cloud -> UnannouncedLosses.NONE).kinds()).isEqualTo(4);
  }

  @Test
  void aLaterStartKeepsItsTimeAhead() {
    Future.Source late = (run, seed) -> new Future(RECORD, 2);
    Future future = Future.goingOn(late, 5 * TICK).of(0, 1);

    assertThat(future.firstTick()).isEqualTo(2);
    assertThat(counts(future.market(), 0)).containsExactly(5, 4, 3, 0, 5, 4, 3, 0);
  }
}

package io.deepvm.market;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class BlockBootstrapProperties {

  @Property(tries = 100, seed = "20261115")
  void everyTickIsAWholeRecordedTickAndBlocksStayInOrder(
      @ForAll @IntRange(min = 1, max = 30) int ticks,
      @ForAll @IntRange(min = 1, max = 30) int block,
      @ForAll @IntRange(min = 1, max = 100) int length,
      @ForAll long seed) {
    int blockTicks = Math.min(block, ticks);
    SpotMarket market = numbered(ticks, new Random(seed));
    SpotMarket drawn = new BlockBootstrap(market, blockTicks).draw(seed, length);

    assertThat(drawn.ticks()).isEqualTo(length);
    for (int t = 0; t < length; t++) {
      // The first pool counts the recorded ticks, so it tells which one this is.
      int recorded = drawn.available(0, t);
      assertThat(column(drawn, t)).isEqualTo(column(market, recorded));
      if (t % blockTicks != 0) {
        assertThat(recorded).isEqualTo(drawn.available(0, t - 1) + 1);
      }
    }
  }

  @Property(tries = 50, seed = "20261115")
  void theSameSeedGivesTheSameMarketAndAWindowDrawsFromItself(
      @ForAll long seed, @ForAll @IntRange(min = 0, max = 10) int from) {
    SpotMarket window = numbered(30, new Random(1)).window(from, 12);
    SpotMarket one = new BlockBootstrap(window, 4).draw(seed, 50);
    SpotMarket two = new BlockBootstrap(window, 4).draw(seed, 50);
    SpotMarket part = two.window(7, 40);
    for (int t = 0; t < 40; t++) {
      assertThat(column(one, t + 7)).isEqualTo(column(part, t));
      assertThat(one.available(0, t)).isBetween(from, from + 11);
    }
  }

  private static SpotMarket numbered(int ticks, Random random) {
    List<Trace> traces = new ArrayList<>();
    for (int p = 0; p < 3; p++) {
      int[] counts = random.ints(ticks, 0, 1000).toArray();
      for (int t = 0; p == 0 && t < ticks; t++) {
        counts[t] = t;
      }
      double[] prices = random.doubles(ticks).toArray();
      traces.add(TracesOf.counts("zone-" + p, 1000, counts).priced(prices, 3.0));
    }
    return SpotMarket.of(traces);
  }

  private static List<Object> column(SpotMarket market, int tick) {
    List<Object> column = new ArrayList<>();
    for (int p = 0; p < market.pools().size(); p++) {
      column.add(market.available(p, tick));
      column.add(market.spotUsdPerHour(p, tick));
    }
    return column;
  }
}

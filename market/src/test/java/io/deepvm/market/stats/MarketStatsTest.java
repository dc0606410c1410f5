package io.deepvm.market.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.catalog.Place;
import io.deepvm.market.Alignment;
import io.deepvm.market.Markets;
import io.deepvm.market.Pool;
import io.deepvm.market.ReadOptions;
import io.deepvm.market.Recording;
import io.deepvm.market.Trace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MarketStatsTest {

  @TempDir private Path folder;

  @Test
  void aSmallTraceIsDescribedByHand() {
    Trace trace = trace("a", 4, 4, 2, 0, -1, 1, 3);
    PoolStats stats = PoolStats.of(trace);
    assertThat(stats.upShare()).isEqualTo(5 / 6.0);
    assertThat(stats.fullShare()).isEqualTo(2 / 6.0);
    assertThat(stats.partialShare()).isEqualTo(3 / 6.0);
    assertThat(stats.up()).isEqualTo(new Runs(2, 2.5, 2.5, 3));
    assertThat(stats.down()).isEqualTo(new Runs(1, 1, 1, 1));
    // lost 0 of 4, 2 of 4, 2 of 2; the node hours before a gap are not watched; then 0 of 1
    assertThat(stats.lossesPerNodeHour()).isEqualTo(4 / 11.0);
    PriceStats price = Objects.requireNonNull(stats.price());
    assertThat(price.mean()).isEqualTo(2);
    assertThat(price.volatility()).isEqualTo(0);
  }

  @Test
  void aSpikeInsideATickIsInTheStatsOfAPriceHistory() throws IOException {
    // $1 for 11 h, $9 for 1 h, $1 for 12 h, not on offer for 12 h, $2 at the end.
    Path file =
        Files.writeString(
            folder.resolve("prices.csv"),
            """
            time_utc,instance_type,zone_id,region,on_demand_usd_h,spot_usd_h
            2025-01-01T00:00Z,g5.xlarge,use1-az1,us-east-1,4,1
            2025-01-01T11:00Z,g5.xlarge,use1-az1,us-east-1,4,9
            2025-01-01T12:00Z,g5.xlarge,use1-az1,us-east-1,4,1
            2025-01-02T00:00Z,g5.xlarge,use1-az1,us-east-1,4,
            2025-01-02T12:00Z,g5.xlarge,use1-az1,us-east-1,4,2
            """);
    for (Duration tick : List.of(Duration.ofHours(12), Duration.ofHours(1), Duration.ofDays(1))) {
      Recording read = Markets.load(file.toString(), new ReadOptions(null, null, tick, null, null));
      PriceStats price = Objects.requireNonNull(MarketStats.of(read).pools().get(0).price());
      assertThat(price.min()).isEqualTo(1);
      assertThat(price.max()).isEqualTo(9);
      assertThat(price.mean()).isCloseTo((11 * 1 + 1 * 9 + 12 * 1) / 24.0, within(1e-12));
      assertThat(price.volatility())
          .isCloseTo(Math.sqrt(23 / 24.0 / 9 + 1 / 24.0 * 529 / 9) / (4 / 3.0), within(1e-12));
      assertThat(price.changesPerDay()).isEqualTo(3);
    }
  }

  @Test
  void longerTicksDoNotChangeThePricesOfATrace() {
    Recording read = Markets.load("aws-v100-2023-02");
    Recording coarse = read.with(Alignment.onOneClock(read.traces(), Duration.ofHours(12)));
    assertThat(MarketStats.of(coarse).pools())
        .extracting(PoolStats::price)
        .isEqualTo(MarketStats.of(read).pools().stream().map(PoolStats::price).toList());
    assertThat(MarketStats.of(coarse.traces()).pools().get(0).price())
        .isNotEqualTo(MarketStats.of(read).pools().get(0).price());
  }

  @Test
  void aPriceThatWasSeenOnceIsItsOwnMean() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("once.csv"),
            """
            time_utc,instance_type,zone_id,region,on_demand_usd_h,spot_usd_h
            2025-01-01T00:00Z,g5.xlarge,use1-az1,us-east-1,4,0.7
            """);
    assertThat(MarketStats.of(Markets.load(file.toString())).pools().get(0).price())
        .isEqualTo(new PriceStats(0.7, 0.7, 0.7, 0, 0));
  }

  @Test
  void poolsThatMoveTogetherCorrelate() {
    Trace one = trace("a", 0, 4, 0, 4);
    Trace same = trace("b", 0, 4, 0, 4);
    Trace other = trace("c", 4, 0, 4, 0);
    Trace still = trace("d", 2, 2, 2, 2);
    MarketStats.Together all =
        Objects.requireNonNull(MarketStats.of(List.of(one, same, other, still)).together());
    assertThat(all.correlation()[0][1]).isCloseTo(1, within(1e-12));
    assertThat(all.correlation()[2][0]).isCloseTo(-1, within(1e-12));
    assertThat(all.correlation()[3][0]).isNaN();
    assertThat(all.maxCorrelation()).isCloseTo(1, within(1e-12));
    assertThat(all.meanCorrelation()).isCloseTo(-1 / 3.0, within(1e-12));
    assertThat(all.fewest()).isEqualTo(6);
  }

  // Counted independently from the source file, of which 1,262 rounds were at hand.
  @Test
  void theH100CountsAreMostlyPartialOrNone() {
    MarketStats.Together all =
        Objects.requireNonNull(
            MarketStats.of(Markets.load("gcp-h100-2025-10").traces()).together());
    assertThat(all.ticks()).isEqualTo(1262);
    assertThat(all.fullShare()).isCloseTo(0.39376, within(1e-5));
    assertThat(all.noneShare()).isCloseTo(0.28721, within(1e-5));
    assertThat(all.partialShare()).isCloseTo(0.31903, within(1e-5));
    assertThat(all.fewest()).isEqualTo(43);
    assertThat(all.fifthPercentile()).isEqualTo(71);
    assertThat(all.median()).isEqualTo(114);
    assertThat(all.anyUpShare()).isEqualTo(1);
  }

  @Test
  void theV100ZonesAreUpForVeryDifferentShares() {
    List<PoolStats> pools = MarketStats.of(Markets.load("aws-v100-2023-02").traces()).pools();
    assertThat(pools)
        .extracting(PoolStats::upShare)
        .allMatch(share -> share > 0.17 && share < 0.91);
    // Far from exponential, whose mean is 1.44 times its median.
    assertThat(pools).allMatch(pool -> pool.up().meanHours() / pool.up().medianHours() > 1.5);
  }

  private static Trace trace(String zone, int... counts) {
    double[] prices = new double[counts.length];
    Arrays.fill(prices, 2);
    return new Trace(
        new Pool(new Place("aws", "us-east-1", zone), "p3.2xlarge"),
        null,
        Duration.ofHours(1),
        counts,
        4,
        prices,
        3.0);
  }
}

package io.deepvm.market;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Catalogs;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class TraceTest {

  private static final double UNSEEN = Double.NaN;

  @Test
  void aGapIsWhatTheUserSaysItIs() {
    Trace trace = TracesOf.counts("a", 4, -1, 3, -1, -1, 2).priced(prices(), 3.06);
    assertThat(trace.filled(GapRule.UNAVAILABLE).available()).containsExactly(0, 3, 0, 0, 2);
    assertThat(trace.filled(GapRule.LAST).available()).containsExactly(0, 3, 3, 3, 2);
    assertThat(trace.filled(GapRule.LAST).spotUsdPerHour()).containsExactly(1, 1, 1, 1.5, 1.5);
    assertThatThrownBy(() -> trace.filled(GapRule.REFUSE)).hasMessageContaining("gap at tick 0");
    assertThatThrownBy(() -> SpotMarket.of(List.of(trace))).hasMessageContaining("gap at tick 0");
  }

  private static double[] prices() {
    return new double[] {UNSEEN, 1, UNSEEN, 1.5, UNSEEN};
  }

  @Test
  void countsScaleInProportion() {
    Trace trace = TracesOf.counts("a", 16, 16, 0, 8, 5, -1);
    assertThat(trace.scaled(4).available()).containsExactly(4, 0, 2, 1, -1);
    assertThat(trace.scaled(32).available()).containsExactly(32, 0, 16, 10, -1);
  }

  @Test
  void aMarketsWindowsShareItsTicksAndEndWhereTheyEnd() {
    Trace trace = TracesOf.counts("a", 9, 0, 1, 2, 3, 4, 5).startingAt(Instant.EPOCH);
    SpotMarket window = SpotMarket.of(List.of(trace)).window(1, 4).window(1, 2);
    assertThat(window.ticks()).isEqualTo(2);
    assertThat(window.available(0, 0)).isEqualTo(2);
    assertThat(window.available(0, 1)).isEqualTo(3);
    assertThat(window.start()).isEqualTo(Instant.EPOCH.plusSeconds(1200));
    assertThatThrownBy(() -> window.available(0, 2)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> window.available(0, -1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> window.window(1, 2)).isInstanceOf(BadInput.class);
  }

  @Test
  void aMarketNeedsTracesThatBeginTogether() {
    Trace one = TracesOf.counts("a", 1, 1, 0).startingAt(Instant.EPOCH);
    Trace later = TracesOf.counts("b", 1, 1, 0).startingAt(Instant.EPOCH.plusSeconds(600));
    assertThatThrownBy(() -> SpotMarket.of(List.of(one, later)))
        .hasMessageContaining("begin at 1970-01-01T00:00:00Z and 1970-01-01T00:10:00Z");
    Recording both = new Recording("both", "", "", List.of(one, later), List.of());
    assertThat(both.market(GapRule.REFUSE).ticks()).isEqualTo(1);
    assertThat(both.market(GapRule.REFUSE).available(0, 0)).isZero();
  }

  @Test
  void datedTracesShareTheTimeThatAllCover() {
    Trace fine =
        TracesOf.unpriced(
            "a", "2026-01-01T00:00:00Z", Duration.ofMinutes(5), 4, 3, 2, 5, -1, 6, 7, 7);
    Trace coarse =
        TracesOf.unpriced("b", "2026-01-01T00:05:00Z", Duration.ofMinutes(10), 1, 2, 3, 4, 5);
    List<Trace> aligned = Alignment.onOneClock(List.of(fine, coarse), null);
    assertThat(aligned).allMatch(t -> Instant.parse("2026-01-01T00:05:00Z").equals(t.start()));
    assertThat(aligned.get(0).available()).containsExactly(2, -1, 6);
    assertThat(aligned.get(1).available()).containsExactly(1, 2, 3);
    List<Trace> finer = Alignment.onOneClock(List.of(fine, coarse), Duration.ofMinutes(5));
    assertThat(finer.get(0).available()).containsExactly(3, 2, 5, -1, 6, 7, 7);
    assertThat(finer.get(1).available()).containsExactly(1, 1, 2, 2, 3, 3, 4);
  }

  @Test
  void undatedTracesShareTheirFirstTicksAndStrangersNone() {
    Trace one = TracesOf.unpriced("a", null, Duration.ofMinutes(5), 1, 2, 3);
    Trace dated = TracesOf.unpriced("b", "2026-01-01T00:00:00Z", Duration.ofMinutes(5), 4, 5);
    List<Trace> aligned = Alignment.onOneClock(List.of(one, dated), null);
    assertThat(aligned.get(0).available()).containsExactly(1, 2);
    assertThat(aligned.get(1).available()).containsExactly(4, 5);
    Trace later = TracesOf.unpriced("c", "2026-02-01T00:00:00Z", Duration.ofMinutes(5), 1);
    assertThat(Alignment.overlap(List.of(dated, later))).isFalse();
    assertThatThrownBy(() -> Alignment.onOneClock(List.of(dated, later), null))
        .hasMessageContaining("no tick of 300.0 s in common");
  }

  @Test
  void pricesComeFromAHistoryByRegionOrFromACatalog() {
    Trace bare =
        new Trace(
            new Pool(Zones.ofZone("us-east-1a"), "g4dn.xlarge"),
            null,
            Duration.ofHours(12),
            new int[] {1, 0, 1},
            1,
            new double[0],
            null);
    Prices catalog = new CatalogPrices(Catalogs.load(Catalogs.DEFAULT));
    assertThatThrownBy(() -> catalog.joinedTo(List.of(bare))).hasMessageContaining("when it began");
    Trace dated = bare.startingAt(Instant.parse("2023-03-01T00:00:00Z"));
    Trace listed = catalog.joinedTo(List.of(dated)).get(0);
    assertThat(listed.onDemandUsdPerHour()).isEqualTo(0.526);
    assertThat(listed.spotUsdPerHour()[0]).isBetween(0.05, 0.526);

    Prices history =
        Markets.priceHistory(Path.of(Shared.path("data/prices/aws_gpu_spot_history.csv.gz")));
    Trace past = history.joinedTo(List.of(dated)).get(0);
    assertThat(past.onDemandUsdPerHour()).isEqualTo(0.526);
    assertThat(past.spotUsdPerHour()[2]).isBetween(0.1, 0.526);
    Trace priced = TracesOf.counts("a", 1, 1, 0);
    assertThat(history.joinedTo(List.of(priced)).get(0)).isSameAs(priced);
    Trace unheardOf =
        new Trace(
            TracesOf.pool("a"),
            Instant.parse("2010-01-01T00:00:00Z"),
            Duration.ofHours(1),
            new int[] {1},
            1,
            new double[0],
            null);
    assertThatThrownBy(() -> history.joinedTo(List.of(unheardOf)))
        .hasMessageContaining("is not known");
  }
}

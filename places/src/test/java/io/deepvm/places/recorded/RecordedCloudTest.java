package io.deepvm.places.recorded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.deepvm.catalog.Market;
import io.deepvm.catalog.Place;
import io.deepvm.market.Pool;
import io.deepvm.market.SpotMarket;
import io.deepvm.market.Trace;
import io.deepvm.places.Launch;
import io.deepvm.places.News;
import io.deepvm.places.Order;
import io.deepvm.places.OrderPoints;
import io.deepvm.places.Tenancy;
import io.deepvm.places.testing.DataCentre;
import io.deepvm.places.testing.Faults;
import io.deepvm.places.testing.TestCloud;
import io.deepvm.places.testing.TestTime;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A recorded market over a place in memory, on a clock that the test moves. */
class RecordedCloudTest {

  /** A second is a minute of the market, so a tick is 10 s. */
  private static final double SPEED = 60;

  private static final Duration TICK = Duration.ofMinutes(10);
  private static final Revocations MARKET_ONLY = new Revocations.OfMarket();

  private final TestTime time = new TestTime(Instant.parse("2026-01-01T00:00:00Z"));
  private final List<News> news = new ArrayList<>();
  private final List<String> story = new ArrayList<>();
  private DataCentre centre = empty();
  private RecordedCloud cloud = connect(market("local", 0), MARKET_ONLY);

  private DataCentre empty() {
    List<Pool> pools = market("local", 0).pools();
    return new DataCentre(pools, 9, time, time, 1, DataCentre.Machines.NONE);
  }

  private RecordedCloud connect(SpotMarket market, Revocations revocations) {
    return new RecordedCloud(
        new TestCloud(centre, time, OrderPoints.NONE),
        new Playback(market, 0, SPEED, revocations, 7),
        time,
        time);
  }

  private static SpotMarket market(String provider, int... available) {
    double[] prices = new double[available.length];
    Arrays.setAll(prices, tick -> 1 + tick / 2);
    Pool pool = new Pool(new Place(provider, "here", null), "type");
    return SpotMarket.of(List.of(new Trace(pool, null, TICK, available, 100, prices, 4.0)));
  }

  private void open(SpotMarket market, Revocations revocations, Tenancy.Held... held)
      throws IOException {
    open(market, revocations, 0, held);
  }

  private void open(SpotMarket market, Revocations revocations, long marketMs, Tenancy.Held... held)
      throws IOException {
    RecordedCloud opened = connect(market, revocations);
    cloud = opened;
    opened.open(
        new Tenancy("run", marketMs, 1, List.of(held)),
        fact -> {
          news.add(fact);
          story.add(
              "%s %s"
                  .formatted(
                      Duration.ofMillis(opened.market().marketMs()).toMinutes(), text(fact)));
        });
    time.pass(Duration.ofMillis(1));
  }

  private static String text(News fact) {
    if (fact instanceof News.Granted granted) {
      return granted.node() + " granted";
    }
    if (fact instanceof News.Gone gone) {
      return gone.node() + " " + gone.cause() + ": " + gone.reason();
    }
    if (fact instanceof News.Noticed noticed) {
      return noticed.node() + " noticed: " + noticed.reason();
    }
    if (fact instanceof News.Spared spared) {
      return spared.node() + " spared";
    }
    if (fact instanceof News.Refused refused) {
      return refused.node() + " " + refused.why() + ": " + refused.reason();
    }
    return fact.getClass().getSimpleName();
  }

  private static Order order(String node, Market market) {
    return new Order("t-" + node, node, 0, market, new Launch(List.of("x"), Map.of()));
  }

  private void rent(String... nodes) {
    for (String node : nodes) {
      cloud.order(order(node, Market.SPOT));
    }
    time.pass(Duration.ofMillis(1));
  }

  private static Tenancy.Held held(String node, @Nullable String handle, @Nullable String notice) {
    return new Tenancy.Held(order(node, Market.SPOT), handle, 0, notice);
  }

  private void pass(double seconds) {
    time.pass(Duration.ofMillis(Math.round(seconds * 1000)));
  }

  private <T extends News> List<T> all(Class<T> kind) {
    return news.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  private List<String> nodesOf(Class<? extends News> kind) {
    List<String> nodes = new ArrayList<>();
    Consumer<News> add = fact -> nodes.add(text(fact).substring(0, text(fact).indexOf(' ')));
    all(kind).forEach(add);
    return nodes;
  }

  // --- Prices and capacity ---

  @Test
  void pricesAreReportedAtTheStartAndWhenTheyChange() throws Exception {
    open(market("local", 2, 2, 2, 2, 2, 2), MARKET_ONLY);
    pass(45);
    assertThat(story)
        .containsExactly(
            "0 Priced",
            "0 MarketRead",
            "10 MarketRead",
            "20 Priced",
            "20 MarketRead",
            "30 MarketRead",
            "40 Priced",
            "40 MarketRead");
    assertThat(all(News.Priced.class))
        .extracting(News.Priced::microsPerHour)
        .containsExactly(1_000_000L, 2_000_000L, 3_000_000L);
    assertThat(cloud.market().spotUsdPerHour(0)).isEqualTo(3);
    assertThat(cloud.market().onDemandUsdPerHour(0)).isEqualTo(4);
  }

  @Test
  void anOrderThatTheRecordHasNoNodeForIsRefusedUntilTheNextTick() throws Exception {
    open(market("local", 1, 2), MARKET_ONLY);
    rent("n1", "n2");
    assertThat(centre.living()).containsExactly("n1");
    News.Refused refused = all(News.Refused.class).get(0);
    assertThat(refused.node()).isEqualTo("n2");
    assertThat(refused.why()).isEqualTo(News.Refusal.CAPACITY);
    assertThat(refused.reason()).isEqualTo("the market has 1 spot nodes of local/here type");
    assertThat(refused.retryAfterSeconds()).isCloseTo(10, offset(0.01));
    pass(10);
    rent("n2");
    assertThat(centre.living()).containsExactly("n1", "n2");
  }

  @Test
  void nodesOnDemandAreNotCountedAndNeverTaken() throws Exception {
    open(market("local", 0, 0), MARKET_ONLY);
    cloud.order(order("n1", Market.ON_DEMAND));
    pass(15);
    assertThat(centre.living()).containsExactly("n1");
  }

  @Test
  void aNodeThatIsGivenBackMakesRoomForAnother() throws Exception {
    open(market("local", 1, 1), MARKET_ONLY);
    rent("n1");
    cloud.end("n1", "not needed");
    rent("n2");
    assertThat(centre.living()).containsExactly("n2");
  }

  // --- Taking and warning ---

  @Test
  void aMarketWithoutNoticesTakesNodesAtTheTick() throws Exception {
    open(market("local", 3, 1, 1), MARKET_ONLY);
    rent("n1", "n2", "n3");
    pass(9.9);
    assertThat(centre.living()).hasSize(3);
    pass(0.2);
    assertThat(centre.living()).hasSize(1);
    assertThat(all(News.Gone.class))
        .hasSize(2)
        .allMatch(gone -> gone.cause() == News.Cause.TAKEN)
        .allMatch(gone -> "taken by the market".equals(gone.reason()));
    assertThat(all(News.Noticed.class)).isEmpty();
  }

  @Test
  void aNoticeComesTwoMinutesOfTheMarketBeforeTheTick() throws Exception {
    open(market("aws", 3, 1, 1), MARKET_ONLY);
    rent("n1", "n2", "n3");
    pass(7.9);
    assertThat(all(News.Noticed.class)).isEmpty();
    pass(0.2);
    assertThat(all(News.Noticed.class))
        .hasSize(2)
        .allMatch(noticed -> Math.abs(noticed.leadSeconds() - 2) < 0.01);
    pass(2);
    assertThat(nodesOf(News.Gone.class))
        .containsExactlyInAnyOrderElementsOf(nodesOf(News.Noticed.class));
    assertThat(all(News.Gone.class).get(0).reason())
        .isEqualTo("taken by the market after a notice");
  }

  @Test
  void ofTheWarnedNodesTheYoungestAreTakenFirst() throws Exception {
    open(market("aws", 4, 1, 1), MARKET_ONLY);
    rent("n1", "n2", "n3", "n4");
    pass(8.1);
    List<String> warned = nodesOf(News.Noticed.class).stream().sorted().toList();
    assertThat(warned).hasSize(3);
    String other =
        centre.living().stream().filter(node -> !warned.contains(node)).findFirst().orElseThrow();
    cloud.end(other, "given back");
    pass(2);
    // One of the warned may stay: the oldest.
    assertThat(nodesOf(News.Spared.class)).containsExactly(warned.get(0));
    assertThat(centre.living()).containsExactly(warned.get(0));
  }

  @Test
  void takingIsRepeatedUntilThePlaceConfirmsIt() throws Exception {
    open(market("local", 1, 0, 0), MARKET_ONLY);
    rent("n1");
    pass(9);
    centre.faults(new Faults(1, 0, 0, 0, 0));
    pass(3);
    assertThat(centre.living()).containsExactly("n1");
    assertThat(all(News.Gone.class)).isEmpty();
    centre.faults(Faults.NONE);
    pass(1.1);
    assertThat(centre.living()).isEmpty();
    assertThat(all(News.Gone.class)).extracting(News.Gone::cause).containsOnly(News.Cause.TAKEN);
  }

  @Test
  void theEndOfTheRecordClosesTheCloud() throws Exception {
    open(market("local", 2, 2, 2), MARKET_ONLY);
    pass(29.9);
    assertThat(all(News.Closed.class)).isEmpty();
    pass(0.2);
    assertThat(all(News.Closed.class))
        .containsExactly(
            new News.Closed(
                "the run is not done after 0.5 h of the market's time, and its course ends there"));
    rent("n1");
    assertThat(all(News.Refused.class)).hasSize(1);
  }

  // --- The market's time ---

  @Test
  void aSlowedMarketTakesNodesLater() throws Exception {
    open(market("local", 1, 0, 0), MARKET_ONLY);
    rent("n1");
    pass(5);
    cloud.pace(0);
    pass(1000);
    assertThat(centre.living()).hasSize(1);
    assertThat(cloud.market().marketMs() / 60_000.0).isCloseTo(5, offset(0.01));
    cloud.pace(0.5);
    pass(9.9);
    assertThat(centre.living()).hasSize(1);
    pass(0.2);
    assertThat(centre.living()).isEmpty();
  }

  // --- Scripts and hazards ---

  @Test
  void aScriptTakesAPoolAndWithholdsIt() throws Exception {
    open(
        market("local", 3, 3, 3, 3),
        new Revocations.Script(List.of(new Strike(300, 0, Strike.ALL, 0, 240))));
    rent("n1", "n2");
    pass(5.1);
    assertThat(centre.living()).isEmpty();
    assertThat(all(News.Gone.class))
        .extracting(News.Gone::reason)
        .containsOnly("taken by the script");
    rent("n3");
    assertThat(nodesOf(News.Refused.class)).containsExactly("n3");
    assertThat(cloud.market().spotCapacity(0)).hasValue(0);
    news.clear();
    pass(4);
    assertThat(all(News.MarketRead.class)).hasSize(1);
    assertThat(cloud.market().spotCapacity(0)).hasValue(3);
  }

  @Test
  void theMarketDoesNotTakeBackANoticeOfTheScript() throws Exception {
    open(
        market("aws", 2, 2, 2, 2), new Revocations.Script(List.of(new Strike(900, -1, 1, 600, 0))));
    rent("n1", "n2");
    pass(5.1);
    assertThat(nodesOf(News.Noticed.class)).hasSize(1);
    assertThat(all(News.Noticed.class).get(0).leadSeconds()).isCloseTo(10, offset(0.01));
    pass(10);
    assertThat(all(News.Spared.class)).isEmpty();
    assertThat(nodesOf(News.Gone.class)).isEqualTo(nodesOf(News.Noticed.class));
  }

  @Test
  void aHazardGivesEachNodeALifeThatAnotherCoordinatorDrawsAgain() throws Exception {
    SpotMarket steady = market("local", new int[] {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9});
    Revocations hazard = new Revocations.Hazard(2, 30);
    open(steady, hazard);
    rent("n1", "n2", "n3", "n4");
    pass(100);
    List<String> whole = losses();
    assertThat(whole).isNotEmpty().anyMatch(line -> line.contains("noticed"));

    centre = empty();
    story.clear();
    open(steady, hazard);
    rent("n1", "n2", "n3", "n4");
    pass(3);
    cloud.close();
    List<Tenancy.Held> living = new ArrayList<>();
    for (DataCentre.Lease lease : centre.leases()) {
      if (lease.untilMs() == Long.MAX_VALUE) {
        living.add(held(lease.order().node(), lease.handle(), null));
      }
    }
    open(steady, hazard, cloud.market().marketMs(), living.toArray(Tenancy.Held[]::new));
    pass(97);
    assertThat(losses()).isEqualTo(whole);
  }

  private List<String> losses() {
    return story.stream()
        .filter(line -> line.contains("TAKEN") || line.contains("noticed"))
        .toList();
  }

  // --- Coordinators that come and go ---

  @Test
  void aCoordinatorThatComesBackGoesOnInTheSameTick() throws Exception {
    SpotMarket market = market("local", 2, 2, 0, 0);
    open(market, MARKET_ONLY);
    rent("n1");
    pass(12);
    long marketMs = cloud.market().marketMs();
    cloud.close();
    pass(60);
    open(market, MARKET_ONLY, marketMs, held("n1", "machine-1", null));
    assertThat(cloud.market().marketMs()).isBetween(marketMs, marketMs + 100);
    assertThat(nodesOf(News.Granted.class)).containsExactly("n1", "n1");
    pass(7.8);
    assertThat(centre.living()).containsExactly("n1");
    pass(0.3);
    assertThat(centre.living()).isEmpty();
  }

  @Test
  void aWarningOfTheCoordinatorBeforeStillStands() throws Exception {
    SpotMarket market = market("aws", 3, 1, 1);
    open(market, MARKET_ONLY);
    rent("n1", "n2", "n3");
    pass(8.5);
    List<String> warned = nodesOf(News.Noticed.class);
    long marketMs = cloud.market().marketMs();
    cloud.close();
    news.clear();
    open(
        market,
        MARKET_ONLY,
        marketMs,
        held("n1", "machine-1", notice(warned, "n1")),
        held("n2", "machine-2", notice(warned, "n2")),
        held("n3", "machine-3", notice(warned, "n3")));
    pass(2);
    assertThat(all(News.Spared.class)).isEmpty();
    assertThat(all(News.Noticed.class)).isEmpty();
    assertThat(nodesOf(News.Gone.class)).containsExactlyInAnyOrderElementsOf(warned);
  }

  private static @Nullable String notice(List<String> warned, String node) {
    return warned.contains(node) ? "the market will take it" : null;
  }

  @Test
  void aScriptTakesTheNodeThatItWarnedBeforeTheCoordinatorChanged() throws Exception {
    Revocations script = new Revocations.Script(List.of(new Strike(600, -1, 1, 300, 0)));
    SpotMarket market = market("local", 3, 3, 3);
    open(market, script);
    rent("n1", "n2", "n3");
    pass(6);
    String warned = nodesOf(News.Noticed.class).get(0);
    long marketMs = cloud.market().marketMs();
    cloud.close();
    news.clear();
    List<Tenancy.Held> nodes = new ArrayList<>();
    for (DataCentre.Lease lease : centre.leases()) {
      String node = lease.order().node();
      String notice = node.equals(warned) ? "the script will take it" : null;
      nodes.add(held(node, lease.handle(), notice));
    }
    open(market, script, marketMs, nodes.toArray(Tenancy.Held[]::new));
    pass(5);
    assertThat(all(News.Noticed.class)).isEmpty();
    assertThat(nodesOf(News.Gone.class)).containsExactly(warned);
  }

  @Test
  void anUnansweredOrderThatTheMarketHasNoNodeForCostsNoOtherNode() throws Exception {
    SpotMarket market = market("local", 1, 1);
    open(market, MARKET_ONLY);
    rent("n1");
    cloud.close();
    open(market, MARKET_ONLY, 0, held("n1", "machine-1", null), held("n2", null, null));
    pass(2);
    assertThat(centre.living()).containsExactly("n1");
    assertThat(nodesOf(News.Gone.class)).contains("n2");
  }

  @Test
  void theSameSeedGivesTheSameCourse() throws Exception {
    List<String> first = course();
    assertThat(first).anyMatch(line -> line.contains("TAKEN"));
    assertThat(course()).isEqualTo(first);
  }

  private List<String> course() throws IOException {
    centre = empty();
    story.clear();
    open(market("aws", 6, 4, 5, 2, 2), new Revocations.Hazard(1, 60));
    rent("n1", "n2", "n3", "n4", "n5", "n6");
    pass(55);
    return List.copyOf(story);
  }
}

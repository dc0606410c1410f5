package io.deepvm.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.market.Pool;
import io.deepvm.market.SpotMarket;
import io.deepvm.market.Trace;
import io.deepvm.places.testing.TestTime;
import io.deepvm.simulator.Future;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs whose market goes down, on a clock that the test moves. */
class UsedUpMarketTest {

  private static final Duration TICK = Duration.ofMinutes(10);

  /** A second is a minute of the market. */
  private static final double SPEED = 60;

  @TempDir Path folder;

  private final TestTime time = new TestTime(Instant.parse("2026-01-01T00:00:00Z"));
  private final List<Logged> events = new ArrayList<>();

  private static SpotMarket market(int... available) {
    Pool pool = Scene.market("local", 1, new int[] {0}).pools().get(0);
    double[] prices = new double[available.length];
    return SpotMarket.of(List.of(new Trace(pool, null, TICK, available, 100, prices, 4.0)));
  }

  private void start(Future course, double speed) throws IOException {
    FakeRun unused = FakeRun.start(folder, time, course, speed, null, events::add);
  }

  private List<Long> minutesOf(Class<? extends Event> kind) {
    return events.stream()
        .filter(logged -> kind.isInstance(logged.event()))
        .map(logged -> Math.round(logged.marketMs() / 60_000.0))
        .toList();
  }

  private List<Event.Waits> waits() {
    return events.stream()
        .map(Logged::event)
        .filter(Event.Waits.class::isInstance)
        .map(Event.Waits.class::cast)
        .toList();
  }

  @Test
  void aMarketThatEndsWithoutNodesGoesOnAndSoDoesTheRun() throws Exception {
    SpotMarket record = market(2, 1, 0);
    // The course is three ticks long; its source has it again and again.
    Future.Source source = Future.goingOn((run, seed) -> new Future(record, 0), 3 * 3600);
    start(source.of(0, 1), SPEED);

    // Half an hour of the market is played; then it is used up, and begins again.
    time.pass(Duration.ofSeconds(85));

    assertThat(minutesOf(Event.Rented.class)).containsExactly(0L, 0L, 30L, 30L, 60L, 60L);
    assertThat(minutesOf(Event.Taken.class)).containsExactly(10L, 20L, 40L, 50L, 70L, 80L);
  }

  @Test
  void aRunThatIsNotDoneAtTheEndOfItsCourseIsGivenUp() throws Exception {
    start(new Future(market(2, 2, 0), 0), SPEED);
    time.pass(Duration.ofMinutes(5));

    assertThat(events)
        .filteredOn(logged -> logged.event() instanceof Event.RunTurned)
        .first()
        .satisfies(
            logged -> {
              Event.RunTurned turned = (Event.RunTurned) logged.event();
              assertThat(turned.outcome()).isEqualTo(RunPhase.INFEASIBLE);
              assertThat(turned.reason())
                  .isEqualTo(
                      "the run is not done after 0.5 h of the market's time, and its course ends"
                          + " there");
              assertThat(logged.marketMs()).isEqualTo(3 * TICK.toMillis());
            });
  }

  @Test
  void aRunWithoutNodesIsGivenUpAfterAWeekOfTheMarket() throws Exception {
    start(new Future(market(new int[2000]), 0), 100 * SPEED);
    time.pass(Duration.ofMinutes(3));

    assertThat(events)
        .filteredOn(logged -> logged.event() instanceof Event.RunTurned)
        .first()
        .satisfies(
            logged -> {
              Event.RunTurned turned = (Event.RunTurned) logged.event();
              assertThat(turned.outcome()).isEqualTo(RunPhase.INFEASIBLE);
              assertThat(turned.reason())
                  .isEqualTo("no node could be rented for 7 days of the market's time");
              assertThat(Duration.ofMillis(logged.marketMs()))
                  .isBetween(Duration.ofDays(7), Duration.ofDays(7).plusHours(1));
            });
  }

  @Test
  void aRunThatWaitsSaysEveryHalfMinuteForWhatSinceWhenAndWhatItWillDo() throws Exception {
    start(new Future(market(new int[100]), 0), SPEED);
    time.pass(Duration.ofSeconds(125));

    assertThat(waits()).hasSize(4);
    assertThat(waits().get(1))
        .isEqualTo(
            new Event.Waits(
                60_000,
                3_600_000,
                "nodes: 0 of 2 are there, and the market has 0 spot nodes of local/here/here-0"
                    + " local",
                "the policy is asked again at every tick of the market, and training goes on with"
                    + " 1"));
  }

  @Test
  void aRunWhoseNodesStartSlowlySaysSo() throws Exception {
    start(new Future(market(2, 2, 2, 2, 2, 2), 0), SPEED);
    time.pass(Duration.ofSeconds(40));

    assertThat(waits())
        .singleElement()
        .satisfies(
            waits -> {
              assertThat(waits.what()).isEqualTo("2 of 2 nodes to start");
              assertThat(waits.next())
                  .isEqualTo("a node that does not start within 1000000 s is replaced");
            });
  }
}

package io.deepvm.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.places.testing.TestTime;
import io.deepvm.simulator.Future;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs whose processes start slower than the machines they stand for. */
class MarketPaceTest {

  private static final double SPEED = 60;
  private static final double FRESH = 2;

  /** What a spot node needs to boot and re-form by the plan. */
  private static final double STARTED = 90 + 5;

  @TempDir Path folder;

  private final TestTime time = new TestTime(Instant.parse("2026-01-01T00:00:00Z"));
  private final List<Logged> events = new ArrayList<>();
  private FakeRun run;

  @BeforeEach
  void start() throws Exception {
    run =
        FakeRun.start(
            folder,
            time,
            new Future(Scene.market("local", 600, new int[] {2}), 0),
            SPEED,
            new Emulation(FRESH),
            events::add);
  }

  private void pass(double seconds) {
    time.pass(Duration.ofMillis(Math.round(seconds * 1000)));
  }

  /** Lets both nodes train after this many seconds. */
  private void train(double seconds) {
    pass(seconds);
    run.report("n1", 0);
    run.report("n2", 0);
    pass(1);
    run.report("n1", 1);
    run.report("n2", 1);
    pass(0);
  }

  @Test
  void aNodeBootsInTheMarketsTimeHoweverLongItsProcessTakes() {
    pass(1);
    assertThat(run.marketSeconds()).isEqualTo(SPEED);
    pass(20);
    assertThat(run.marketSeconds()).isCloseTo(STARTED, offset(0.1));
    pass(20);
    assertThat(run.marketSeconds()).isCloseTo(STARTED, offset(0.1));
  }

  @Test
  void theMarketGoesOnWhenMembersTrainAndAreUpToSpeed() {
    train(30);
    pass(FRESH);
    assertThat(run.marketSeconds()).isCloseTo(STARTED, offset(0.1));
    pass(10);
    assertThat(run.marketSeconds()).isCloseTo(STARTED + 10 * SPEED, offset(0.5));
  }

  @Test
  void theMarketIsAsSlowAsTheSurvivorsWhileAnotherProcessStarts() {
    train(30);
    pass(FRESH + 10);
    double before = run.marketSeconds();
    // The second node is gone, a third is rented, and the first trains on alone.
    run.lose("n2");
    pass(0.001);
    run.report("n1", 2);
    pass(1.5);
    assertThat(run.marketSeconds()).isCloseTo(before + 90, offset(1.0));
    pass(10);
    // One of two does half of the work, so half of the time passes.
    assertThat(run.marketSeconds()).isCloseTo(before + 90 + 10 * SPEED / 2, offset(1.0));
  }

  @Test
  void theLogTellsHowMuchWasTakenOutAndGivesTheSameTimeAgain() {
    train(30);
    pass(FRESH + 10);
    RunStatus status = RunStatus.of(events);
    double real = 30 + 1 + FRESH + 10;
    assertThat((status.marketMs() + status.emulated().marketMs()) / 1000.0)
        .isCloseTo((status.atMs() - status.startedMs()) / 1000.0 * SPEED, offset(1.0));
    assertThat(status.emulated().marketMs() / 1000.0)
        .isCloseTo((real - 10) * SPEED - STARTED, offset(1.0));
    // Two nodes at $1 an hour.
    assertThat(status.emulated().cost().dollars())
        .isCloseTo(2 * status.emulated().marketMs() / 3.6e6, offset(1e-4));
  }

  @Test
  void theMarketDoesNotStandStillForEver() {
    pass(2);
    double stands = run.marketSeconds();
    pass(21 * 60);
    assertThat(run.marketSeconds()).isGreaterThan(stands + 30);
  }

  @Test
  void nobodyWaitsForANodeThatIsTakenWithoutEverTraining() {
    pass(20);
    run.warn("n1");
    run.warn("n2");
    double before = run.marketSeconds();
    pass(10);
    assertThat(run.marketSeconds()).isCloseTo(before + 10 * SPEED, offset(1.0));
  }
}

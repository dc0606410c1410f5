package io.deepvm.places.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.market.Pool;
import io.deepvm.places.Cloud;
import io.deepvm.places.CloudContract;
import io.deepvm.places.OrderPoints;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;

/** A data centre in memory under the contract of clouds. */
public final class TestFixture implements CloudContract.Fixture {

  private static final Duration STEP = Duration.ofMillis(100);
  private static final int STEPS = 1000;

  private final TestTime time = new TestTime(Instant.parse("2026-01-01T00:00:00Z"));
  private final DataCentre centre;
  private final BiFunction<Cloud, TestTime, Cloud> around;

  /**
   * Makes a data centre.
   *
   * @param around what a coordinator puts around its way there
   */
  public TestFixture(
      List<Pool> pools, int limit, Faults faults, BiFunction<Cloud, TestTime, Cloud> around) {
    this.centre = new DataCentre(pools, limit, time, time, 1, DataCentre.Machines.NONE);
    this.around = around;
    centre.faults(faults);
  }

  @Override
  public Cloud connect(OrderPoints points) {
    return around.apply(new TestCloud(centre, time, points), time);
  }

  @Override
  public void call(Runnable task) {
    task.run();
  }

  @Override
  public void await(BooleanSupplier something) {
    for (int i = 0; i < STEPS && !something.getAsBoolean(); i++) {
      time.pass(STEP);
    }
    assertThat(something.getAsBoolean()).isTrue();
  }

  @Override
  public void pause() {
    time.pass(Duration.ofSeconds(10));
  }

  @Override
  public void hold(boolean aside) {
    // Time stands still between the steps of a test anyway.
  }

  @Override
  public int machines(String node) {
    return (int) centre.living().stream().filter(node::equals).count();
  }

  @Override
  public void fail(String node) {
    centre.fail(node);
  }

  @Override
  public void close() {}
}

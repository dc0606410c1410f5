package io.deepvm.places.recorded;

import io.deepvm.market.SpotMarket;
import io.deepvm.market.Trace;
import io.deepvm.places.CloudContract;
import io.deepvm.places.testing.Faults;
import io.deepvm.places.testing.TestFixture;
import java.time.Duration;
import java.util.List;

/** A market that always has nodes changes nothing of the place below. */
class RecordedCloudContractTest extends CloudContract {

  private static final SpotMarket STEADY =
      SpotMarket.of(
          List.of(
              new Trace(
                  POOLS.get(0),
                  null,
                  Duration.ofDays(1),
                  new int[] {100, 100},
                  100,
                  new double[] {1, 1},
                  4.0)));

  @Override
  protected Fixture fixture() {
    Playback playback = new Playback(STEADY, 0, 1, new Revocations.OfMarket(), 1);
    return new TestFixture(
        POOLS,
        LIMIT,
        new Faults(0, 0, 0.5, 0, 50_000),
        (cloud, time) -> new RecordedCloud(cloud, playback, time, time));
  }
}

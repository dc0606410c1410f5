package io.deepvm.places.testing;

import io.deepvm.places.CloudContract;

class TestCloudTest extends CloudContract {

  @Override
  protected Fixture fixture() {
    return new TestFixture(POOLS, LIMIT, new Faults(0, 0, 0.5, 0, 50_000), (cloud, time) -> cloud);
  }
}

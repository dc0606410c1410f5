package io.deepvm.catalog;

import org.jspecify.annotations.Nullable;

/** Where a machine stands: cloud / region / zone; the zone is null where a cloud has none. */
public record Place(String cloud, String region, @Nullable String zone) {

  /** Whether machines in the two places share a data centre network: same region, no other zone. */
  public boolean near(Place other) {
    return cloud.equals(other.cloud)
        && region.equals(other.region)
        && (zone == null || other.zone == null || zone.equals(other.zone));
  }

  @Override
  public String toString() {
    return zone == null ? cloud + "/" + region : cloud + "/" + region + "/" + zone;
  }
}

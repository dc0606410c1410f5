package io.deepvm.catalog;

import io.deepvm.base.BadInput;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where a machine stands: cloud / region / zone; the zone is null where a cloud has none. */
public record Place(String cloud, String region, @Nullable String zone) {

  /** Reads a region, or a zone of it: {@code aws/us-east-1} or {@code aws/us-east-1/use1-az2}. */
  public static Place parse(String text) {
    String[] parts = text.split("/", -1);
    if (parts.length < 2 || parts.length > 3 || text.isBlank() || List.of(parts).contains("")) {
      throw new BadInput("'%s' is no place.".formatted(text), "Maybe write it like aws/us-east-1.");
    }
    return new Place(parts[0], parts[1], parts.length == 3 ? parts[2] : null);
  }

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

package io.deepvm.catalog;

import io.deepvm.base.BadInput;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Places by pattern: "aws", "aws/us-*", "gcp/us-central1/us-central1-a". A star stands for any
 * characters within its part, and parts left out stand for everything below.
 */
public record PlaceFilter(String pattern) {

  /** Matches every place. */
  public static final PlaceFilter ANYWHERE = new PlaceFilter("*");

  private static final int PARTS = 3;

  public PlaceFilter {
    if (pattern.isBlank() || pattern.split("/", -1).length > PARTS) {
      throw new BadInput(
          "'%s' is not a place.".formatted(pattern),
          "Maybe write it like aws, aws/us-* or aws/us-east-1/use1-az2.");
    }
  }

  /** Whether the place fits the pattern. */
  public boolean matches(Place place) {
    return test().matches(place);
  }

  /** Returns the pattern compiled, for callers that test many places. */
  public Test test() {
    List<Pattern> parts = new ArrayList<>();
    for (String part : pattern.split("/", -1)) {
      parts.add(Glob.of(part));
    }
    return new Test(List.copyOf(parts));
  }

  /** Returns the readings of a pattern that leaves its cloud out: region, zone, region/zone. */
  List<PlaceFilter> inAnyCloud() {
    return switch (pattern.split("/", -1).length) {
      case 1 -> List.of(new PlaceFilter("*/" + pattern), new PlaceFilter("*/*/" + pattern));
      case 2 -> List.of(new PlaceFilter("*/" + pattern));
      default -> List.of();
    };
  }

  @Override
  public String toString() {
    return pattern.equals("*") ? "every place" : pattern;
  }

  /** A compiled pattern. */
  public record Test(List<Pattern> parts) {

    /** Whether the place fits. */
    public boolean matches(Place place) {
      if (!parts.get(0).matcher(place.cloud()).matches()) {
        return false;
      }
      if (parts.size() > 1 && !parts.get(1).matcher(place.region()).matches()) {
        return false;
      }
      return parts.size() <= 2
          || parts.get(2).matcher(place.zone() == null ? "" : place.zone()).matches();
    }
  }
}

package io.deepvm.workload.averaging;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.Money;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.Wire;
import io.deepvm.catalog.Wires;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The catalog's wires; where one is missing a default stands in for it, and the link says which.
 */
public final class CatalogNetwork implements Network {

  /** Clouds with a network of their own between regions. */
  private static final Set<String> LARGE_CLOUDS = Set.of("aws", "gcp", "azure");

  /** One stream carries this window per round trip: 18.8 to 25 were measured between clouds. */
  private static final double CLOUD_MEGABITS_PER_ROUND_TRIP = 21;

  /** The same over the internet: the median of six own-machine links at their lowest. */
  private static final double INTERNET_MEGABITS_PER_ROUND_TRIP = 6;

  /** The slowest that was measured inside a region: Lambda's. */
  private static final Bandwidth INSIDE_REGION = Bandwidth.ofMbps(3271);

  /** Between two regions of a continent: Google to Azure, across the western United States. */
  private static final Duration INSIDE_CONTINENT = Duration.ofMillis(51);

  /** The longest that was measured: Belgium to Sydney. */
  private static final Duration FARTHEST = Duration.ofMillis(272);

  /** The dearest list price for leaving a cloud: Google's. */
  private static final Money TO_INTERNET = Money.parse("0.12");

  /** The usual list price between continents of one cloud: Google's. */
  private static final Money BETWEEN_REGIONS = Money.parse("0.08");

  private final Map<Ends, Link> known = new ConcurrentHashMap<>();

  @Override
  public Link between(Place from, Place to) {
    return known.computeIfAbsent(new Ends(from, to), ends -> link(from, to));
  }

  private static Link link(Place from, Place to) {
    Wire wire = Wires.between(from, to);
    LinkKind kind = kind(from, to);
    Figure<Bandwidth> stream = stream(kind, wire, from, to);
    Figure<Money> price = price(kind, wire, from, to);
    List<String> assumed =
        List.of(stream.assumption, price.assumption).stream().filter(a -> !a.isEmpty()).toList();
    return new Link(
        kind,
        stream.value,
        wire.many(),
        price.value,
        assumed.isEmpty() ? "" : "%s to %s: %s".formatted(from, to, String.join("; ", assumed)));
  }

  /** Returns what a link between two places runs over. */
  public static LinkKind kind(Place from, Place to) {
    if (from.cloud().equals(to.cloud()) && from.region().equals(to.region())) {
      return LinkKind.LOCAL;
    }
    boolean fromLarge = LARGE_CLOUDS.contains(from.cloud());
    boolean toLarge = LARGE_CLOUDS.contains(to.cloud());
    if (fromLarge && toLarge) {
      return LinkKind.BACKBONE;
    }
    return fromLarge || toLarge ? LinkKind.PUBLIC : LinkKind.TRANSIT;
  }

  private static Figure<Bandwidth> stream(LinkKind kind, Wire wire, Place from, Place to) {
    if (wire.bandwidth() != null) {
      return new Figure<>(wire.bandwidth(), "");
    }
    if (kind == LinkKind.LOCAL) {
      return new Figure<>(
          INSIDE_REGION, "bandwidth not measured, %s assumed".formatted(INSIDE_REGION));
    }
    if (wire.latency() != null) {
      Bandwidth stream = byRoundTrip(kind, wire.latency());
      return new Figure<>(
          stream,
          "bandwidth %s from its round trip of %d ms".formatted(stream, wire.latency().toMillis()));
    }
    Duration roundTrip = usualRoundTrip(from, to);
    Bandwidth stream = byRoundTrip(kind, roundTrip);
    return new Figure<>(
        stream,
        "no measurement, bandwidth %s from a round trip of %d ms, %s"
            .formatted(stream, roundTrip.toMillis(), reason(roundTrip)));
  }

  private static Bandwidth byRoundTrip(LinkKind kind, Duration roundTrip) {
    double megabits =
        kind == LinkKind.BACKBONE
            ? CLOUD_MEGABITS_PER_ROUND_TRIP
            : INTERNET_MEGABITS_PER_ROUND_TRIP;
    double seconds = Math.max(roundTrip.toNanos() / 1e9, 1e-4);
    return Bandwidth.min(Bandwidth.ofMbps(megabits / seconds), INSIDE_REGION);
  }

  private static Duration usualRoundTrip(Place from, Place to) {
    String here = Geography.continent(from);
    String there = Geography.continent(to);
    if (here != null && here.equals(there)) {
      return INSIDE_CONTINENT;
    }
    Place one = Geography.measured(here);
    Place other = Geography.measured(there);
    Duration measured = one == null || other == null ? null : Wires.between(one, other).latency();
    return measured == null ? FARTHEST : measured;
  }

  private static String reason(Duration roundTrip) {
    if (roundTrip.equals(INSIDE_CONTINENT)) {
      return "usual inside a continent";
    }
    return roundTrip.equals(FARTHEST)
        ? "the longest measured"
        : "measured between Google's regions on these continents";
  }

  private static Figure<Money> price(LinkKind kind, Wire wire, Place from, Place to) {
    if (wire.egressPerGb() != null) {
      return new Figure<>(wire.egressPerGb(), "");
    }
    if (from.cloud().equals(Geography.ON_PREMISE)) {
      return new Figure<>(Money.ZERO, "");
    }
    Money assumed =
        kind == LinkKind.LOCAL
            ? Money.ZERO
            : from.cloud().equals(to.cloud()) ? BETWEEN_REGIONS : TO_INTERNET;
    return new Figure<>(assumed, "price not known, %s/GB assumed".formatted(assumed));
  }

  private record Ends(Place from, Place to) {}

  private record Figure<T>(T value, String assumption) {}
}

package io.deepvm.catalog;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.Money;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The project's own table of what lies between places: speed, delay, price of traffic. */
public final class Wires {

  static final String TABLE = "network/wires.csv";

  private static final double NANOS_PER_MILLI = 1e6;

  private static final List<Rule> RULES = rules();

  private Wires() {}

  private static List<Rule> rules() {
    List<Rule> rules = new ArrayList<>();
    for (String[] row : Table.rows(TABLE)) {
      rules.add(Rule.of(row));
    }
    return rules;
  }

  /**
   * Returns the wire that carries data from one place to another. Each figure comes from the first
   * rule that matches and states it. Speed and delay hold both ways: rules that name both regions
   * come first, then measurements between them, then rules for whole continents and clouds.
   */
  public static Wire between(Place from, Place to) {
    End sender = End.of(from);
    End receiver = End.of(to);
    Distance distance = Distance.between(from, to);
    Figures figures = new Figures();
    for (Rule rule : RULES) {
      if (rule.matches(distance, sender, receiver) && rule.names(sender, receiver)) {
        figures.speed(rule);
      }
    }
    WideArea measured = WideArea.between(from, to);
    if (measured != null) {
      figures.measured(measured);
    }
    for (Rule rule : RULES) {
      if (rule.matches(distance, sender, receiver)) {
        if (measured == null) {
          figures.speed(rule);
        }
        figures.price(rule);
      }
    }
    return figures.wire();
  }

  /** The figures of a wire as they are found, each the first time. */
  private static final class Figures {

    private @Nullable Bandwidth bandwidth;
    private @Nullable Bandwidth many;
    private @Nullable Duration latency;
    private @Nullable Money price;
    private final Set<String> sources = new LinkedHashSet<>();

    void speed(Rule rule) {
      if (bandwidth == null && rule.bandwidth != null) {
        bandwidth = rule.bandwidth;
        sources.add(rule.source);
      }
      if (latency == null && rule.latency != null) {
        latency = rule.latency;
        sources.add(rule.source);
      }
    }

    void measured(WideArea area) {
      many = area.many();
      if (latency == null) {
        latency = area.roundTrip();
      }
      sources.add(WideArea.SOURCE);
    }

    void price(Rule rule) {
      if (price == null && rule.price != null) {
        price = rule.price;
        sources.add(rule.source);
      }
    }

    Wire wire() {
      return new Wire(bandwidth, many, latency, price, String.join("; ", sources));
    }
  }

  /** How far apart two places are, as traffic is priced. */
  private enum Distance {
    ZONE,
    REGION,
    CLOUD,
    INTERNET;

    static Distance between(Place a, Place b) {
      if (!a.cloud().equals(b.cloud())) {
        return INTERNET;
      }
      if (a.near(b)) {
        return ZONE;
      }
      return a.region().equals(b.region()) ? REGION : CLOUD;
    }
  }

  /** One end of a wire, by the two names that rules may use. */
  private record End(String region, @Nullable String continent) {

    static End of(Place place) {
      String continent = Continents.of(place);
      return new End(
          place.cloud() + '/' + place.region(),
          continent == null ? null : place.cloud() + '/' + continent);
    }

    boolean fits(String pattern) {
      return Continents.matches(pattern, region) || pattern.equals(continent);
    }
  }

  private record Rule(
      Distance distance,
      String from,
      String to,
      @Nullable Bandwidth bandwidth,
      @Nullable Duration latency,
      @Nullable Money price,
      String source) {

    static Rule of(String[] row) {
      Double mbps = Table.number(row, 3);
      Double millis = Table.number(row, 4);
      String dollars = row[5];
      return new Rule(
          Distance.valueOf(row[0].toUpperCase(Locale.ROOT)),
          row[1],
          row[2],
          mbps == null ? null : Bandwidth.ofMbps(mbps),
          millis == null ? null : Duration.ofNanos(Math.round(millis * NANOS_PER_MILLI)),
          dollars.isEmpty() ? null : Money.parse(dollars),
          row[6]);
    }

    /** Whether it speaks of these two regions alone. */
    boolean names(End sender, End receiver) {
      return (from.equals(sender.region) && to.equals(receiver.region))
          || (from.equals(receiver.region) && to.equals(sender.region));
    }

    boolean matches(Distance far, End sender, End receiver) {
      return far == distance
          && ((sender.fits(from) && receiver.fits(to))
              || (price == null && receiver.fits(from) && sender.fits(to)));
    }
  }
}

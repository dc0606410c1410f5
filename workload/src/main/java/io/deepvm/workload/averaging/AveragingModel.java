package io.deepvm.workload.averaging;

import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import io.deepvm.catalog.Place;
import io.deepvm.workload.averaging.Exchange.Traffic;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Predicts the speed and price of peers that train apart and average in rounds.
 *
 * <p>{@link Experience} says what it was tried on and how well it did there.
 */
public final class AveragingModel {

  private static final double SECONDS_PER_HOUR = 3600;
  private static final int LARGEST_USUAL_BATCH = 65536;

  private final TrainedModel model;
  private final Protocol protocol;
  private final Coefficients constants;
  private final ExchangeModel exchanges;

  public AveragingModel(TrainedModel model, Network network, Protocol protocol) {
    this(model, network, protocol, Coefficients.STUDY);
  }

  public AveragingModel(
      TrainedModel model, Network network, Protocol protocol, Coefficients constants) {
    this.model = model;
    this.protocol = protocol;
    this.constants = constants;
    this.exchanges = new ExchangeModel(model, network, protocol, constants);
  }

  /** Returns what the peers will do and cost at a target batch size. */
  public Forecast forecast(List<PeerGroup> groups, int targetBatch) {
    Exchange exchange = exchange(groups);
    double calculation = calculationSeconds(groups, targetBatch);
    double ready = readySeconds(exchange, calculation);
    double round = roundSeconds(exchange, ready);
    List<Route> routes = routes(exchange, SECONDS_PER_HOUR / round);
    Set<String> assumptions = new LinkedHashSet<>();
    exchange.traffic().forEach(each -> assumptions.add(each.link().assumption()));
    assumptions.remove("");
    if (protocol.trainer() == null) {
      Experience.beyond(model, protocol, exchange.peers())
          .forEach(each -> assumptions.add("beyond the measured runs: " + each));
    }
    if (!constants.equals(Coefficients.STUDY)) {
      assumptions.add("the job's own coefficients, fitted to runs that are not known here");
    }
    Forecast bare =
        new Forecast(
            targetBatch,
            calculation,
            ready,
            exchange,
            round,
            machinesPerHour(groups),
            routes,
            List.copyOf(assumptions),
            List.of());
    return new Forecast(
        targetBatch,
        bare.calculationSeconds(),
        ready,
        exchange,
        round,
        bare.machinesPerHour(),
        routes,
        bare.assumptions(),
        warnings(bare));
  }

  /** Returns one averaging round of the peers. */
  public Exchange exchange(List<PeerGroup> groups) {
    if (groups.isEmpty()) {
      throw new BadInput("There is no peer to train.", "Maybe name at least one.");
    }
    return exchanges.exchange(groups);
  }

  /** Returns samples per second of all peers together while none averages. */
  public static double rate(List<PeerGroup> groups) {
    double rate = 0;
    for (PeerGroup group : groups) {
      rate += group.count() * group.peer().samplesPerSecond();
    }
    return rate;
  }

  /** Returns what the machines cost per hour. */
  public static Money machinesPerHour(List<PeerGroup> groups) {
    Money sum = Money.ZERO;
    for (PeerGroup group : groups) {
      sum = sum.plus(group.peer().pricePerHour().times(group.count()));
    }
    return sum;
  }

  /** Returns the seconds from one round to the next for peers that are done at the same time. */
  public double roundSeconds(Exchange exchange, double rate, int targetBatch) {
    requireBatch(targetBatch);
    return roundSeconds(exchange, readySeconds(exchange, targetBatch / rate));
  }

  /** Returns the seconds from one round of these peers to the next. */
  public double roundSeconds(Exchange exchange, List<PeerGroup> groups, int targetBatch) {
    return roundSeconds(exchange, readySeconds(exchange, calculationSeconds(groups, targetBatch)));
  }

  private double roundSeconds(Exchange exchange, double ready) {
    return protocol.overlap() ? Math.max(ready, exchange.seconds()) : ready + exchange.seconds();
  }

  private static void requireBatch(int targetBatch) {
    if (targetBatch < 1) {
      throw new BadInput(
          "The target batch size of %d samples is less than 1.".formatted(targetBatch),
          "Maybe 32768.");
    }
  }

  /** Returns the seconds until the target batch is calculated. */
  private double calculationSeconds(List<PeerGroup> groups, int targetBatch) {
    requireBatch(targetBatch);
    BuiltInTrainer trainer = protocol.trainer();
    return trainer == null
        ? targetBatch / rate(groups)
        : trainer.calculationSeconds(groups, targetBatch);
  }

  /** The longer of calculating and matchmaking, a little more where they are alike. */
  private double readySeconds(Exchange exchange, double calculation) {
    if (exchange.peers() == 1 || protocol.trainer() != null) {
      return calculation;
    }
    double matchmaking = protocol.matchmakingSeconds() + constants.matchmakingSlackSeconds();
    double longer = Math.max(calculation, matchmaking);
    double ratio = Math.min(calculation, matchmaking) / longer;
    double sharpness = constants.matchmakingSharpness();
    return longer * Math.pow(1 + Math.pow(ratio, sharpness), 1 / sharpness);
  }

  private static List<Route> routes(Exchange exchange, double roundsPerHour) {
    Map<List<Place>, Route> byEnds = new LinkedHashMap<>();
    for (Traffic each : exchange.traffic()) {
      Money perGb = each.link().egressPerGb();
      byEnds.merge(
          List.of(each.from(), each.to()),
          route(each.from(), each.to(), each.bytes() / 1e9 * roundsPerHour, perGb),
          (a, b) -> route(a.from(), a.to(), a.gbPerHour() + b.gbPerHour(), perGb));
    }
    List<Route> routes = new ArrayList<>(byEnds.values());
    routes.sort(Comparator.comparing(Route::perHour).reversed());
    return routes;
  }

  private static Route route(Place from, Place to, double gbPerHour, Money perGb) {
    Money perHour = Money.of(BigDecimal.valueOf(gbPerHour * perGb.dollars()));
    return new Route(from, to, gbPerHour, perGb, perHour);
  }

  private List<String> warnings(Forecast forecast) {
    List<String> warnings = new ArrayList<>();
    if (forecast.exchange().peers() == 1) {
      return warnings;
    }
    if (forecast.granularity() < 1) {
      warnings.add(
          print(
              "The peers communicate longer (%.0f s) than they calculate (%.0f s): twice as many"
                  + " would bring at most %.2f times the speed.",
              forecast.communicationSeconds(),
              forecast.calculationSeconds(),
              Questions.doubling(forecast.granularity())));
    }
    double matchmaking = protocol.matchmakingSeconds();
    if (forecast.calculationSeconds() < 3 * matchmaking) {
      warnings.add(
          print(
              "The target batch is calculated in %.1f s, less than three times the matchmaking of"
                  + " %.0f s: rounds become erratic.",
              forecast.calculationSeconds(), matchmaking));
    }
    if (forecast.egressPerHour().compareTo(forecast.machinesPerHour()) > 0) {
      warnings.add(
          print(
              "Traffic costs more than the machines: %.0f %% of the price.",
              100 * forecast.egressShare()));
    }
    if (forecast.targetBatch() > LARGEST_USUAL_BATCH) {
      warnings.add(
          print(
              "A target batch of %d is above 65536, beyond which LAMB is not known to converge"
                  + " well.",
              forecast.targetBatch()));
    }
    return warnings;
  }

  private static String print(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}

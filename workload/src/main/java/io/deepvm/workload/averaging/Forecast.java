package io.deepvm.workload.averaging;

import io.deepvm.base.Money;
import io.deepvm.workload.averaging.Exchange.Bottleneck;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a set of peers will do and cost; all times by the clock on the wall and for one round.
 *
 * @param targetBatch samples of all peers together between two rounds of averaging
 * @param calculationSeconds until the peers have calculated them
 * @param readySeconds the same with the wait for matchmaking
 * @param exchange the averaging itself
 * @param roundSeconds from one round to the next
 * @param routes traffic by route, dearest first
 * @param assumptions defaults that stood in for measurements and prices
 * @param warnings what speaks against this cluster
 */
public record Forecast(
    int targetBatch,
    double calculationSeconds,
    double readySeconds,
    Exchange exchange,
    double roundSeconds,
    Money machinesPerHour,
    List<Route> routes,
    List<String> assumptions,
    List<String> warnings) {

  public Forecast {
    routes = List.copyOf(routes);
    assumptions = List.copyOf(assumptions);
    warnings = List.copyOf(warnings);
  }

  public double samplesPerSecond() {
    return targetBatch / roundSeconds;
  }

  public double communicationSeconds() {
    return exchange.seconds();
  }

  /**
   * Seconds of calculating per second of communicating; infinite for a peer alone. Waiting for
   * matchmaking is neither: more peers do not shorten it.
   */
  public double granularity() {
    double communication = communicationSeconds();
    return communication == 0 ? Double.POSITIVE_INFINITY : calculationSeconds / communication;
  }

  /** The slowest link between regions; null when there is none. */
  public @Nullable Bottleneck bottleneck() {
    return exchange.bottleneck();
  }

  public Money egressPerHour() {
    Money sum = Money.ZERO;
    for (Route route : routes) {
      sum = sum.plus(route.perHour());
    }
    return sum;
  }

  /** Machines and traffic together. */
  public Money pricePerHour() {
    return machinesPerHour.plus(egressPerHour());
  }

  /** The share of the price that traffic takes. */
  public double egressShare() {
    Money all = pricePerHour();
    return all.isPositive() ? egressPerHour().dollars() / all.dollars() : 0;
  }

  /** Dollars for a million samples, machines and traffic. */
  public double dollarsPerMillion() {
    return perMillion(pricePerHour());
  }

  /** Dollars for a million samples of something that costs this much an hour. */
  public double perMillion(Money perHour) {
    return perHour.dollars() / 3600 / samplesPerSecond() * 1e6;
  }
}

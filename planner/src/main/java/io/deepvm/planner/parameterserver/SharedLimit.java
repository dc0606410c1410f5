package io.deepvm.planner.parameterserver;

import io.deepvm.base.Money;
import java.util.Arrays;
import java.util.List;

/**
 * A ceiling that several offers draw on, such as a quota of vCPUs or a price per hour.
 *
 * @param drawn what one new worker of each offer takes, in the order of the offers
 */
public record SharedLimit(String name, double limit, List<Double> drawn) {

  public SharedLimit {
    drawn = List.copyOf(drawn);
  }

  /** The dollars per hour that are left for new workers, exact in micro-dollars. */
  static SharedLimit pricePerHour(Money left, List<WorkerOffer> offers) {
    return new SharedLimit(
        "price per hour",
        left.micros(),
        offers.stream().map(offer -> (double) offer.pricePerHour().micros()).toList());
  }

  /** What one new worker of each of these offers takes. */
  double[] drawnBy(int[] offers) {
    return Arrays.stream(offers).mapToDouble(drawn::get).toArray();
  }

  boolean allows(int[] added) {
    double used = 0;
    for (int i = 0; i < added.length; i++) {
      used += added[i] * drawn.get(i);
    }
    return used <= limit;
  }
}

package io.deepvm.market;

import io.deepvm.base.BadInput;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says what a pool costs at a time, for traces that were recorded without prices. */
public interface Prices {

  /** Returns the spot price, or null when it is not known. */
  @Nullable Double spotUsdPerHour(Pool pool, Instant time);

  /** Returns the on-demand price, or null when it is not known. */
  @Nullable Double onDemandUsdPerHour(Pool pool, Instant time);

  /** Returns the traces with the prices that they lack; what they have of their own stays. */
  default List<Trace> joinedTo(List<Trace> traces) {
    List<Trace> joined = new ArrayList<>();
    for (Trace trace : traces) {
      joined.add(joined(trace));
    }
    return joined;
  }

  private Trace joined(Trace trace) {
    Double onDemand = trace.onDemandUsdPerHour();
    double[] spot = trace.spotUsdPerHour();
    if (onDemand != null && spot.length > 0) {
      return trace;
    }
    Instant start = trace.start();
    if (start == null) {
      throw new BadInput(
          "The trace of %s does not say when it began, so its prices are not known."
              .formatted(trace.pool()),
          "Maybe state --start.");
    }
    if (onDemand == null) {
      onDemand = known(trace, onDemandUsdPerHour(trace.pool(), start), "on-demand", start);
    }
    if (spot.length == 0) {
      spot = new double[trace.length()];
      for (int t = 0; t < spot.length; t++) {
        Instant time = start.plus(trace.tick().multipliedBy(t));
        Double price = spotUsdPerHour(trace.pool(), time);
        // Where it is not offered for a while, it costs what it did before.
        spot[t] = price == null && t > 0 ? spot[t - 1] : known(trace, price, "spot", time);
      }
    }
    return trace.priced(spot, onDemand);
  }

  private static double known(Trace trace, @Nullable Double price, String market, Instant time) {
    if (price == null) {
      throw new BadInput(
          "The %s price of %s at %s is not known.".formatted(market, trace.pool(), time),
          "Maybe take another price list, or one that has the time.");
    }
    return price;
  }
}

package io.deepvm.simulator;

import io.deepvm.market.SpotMarket;
import java.util.Arrays;

/**
 * What the work costs at the very least to one who knows the whole market beforehand and may change
 * members at any tick for nothing.
 *
 * <p>Nodes of different pools are taken to be equally fast. Every tick offers node after node,
 * cheapest first, each adding what the speed's least concave majorant says; the work is then bought
 * where a unit of it is cheapest. Start-up, re-forming, checkpoints, lost work, minimum charges and
 * egress only ever add to this, so no run that is done within the time costs less.
 */
public final class ElasticBound {

  private ElasticBound() {}

  /**
   * Returns the least dollars for the scenario's work within this many seconds from a tick on, or
   * infinity when it cannot be done at all.
   *
   * @param speeds units per second of 1, 2, ... members
   */
  public static double usd(
      Scenario scenario, double[] speeds, SpotMarket market, int firstTick, double withinSeconds) {
    int workers = Math.min(scenario.workers(), speeds.length);
    double[] gain = gains(speeds, workers);
    int ticks = (int) Math.ceil(withinSeconds / market.tickSeconds() - 1e-9);
    ticks = Math.min(ticks, market.ticks() - firstTick);
    double onDemand = Double.POSITIVE_INFINITY;
    int pools = market.pools().size();
    for (int p = 0; p < pools; p++) {
      onDemand = Math.min(onDemand, market.onDemandUsdPerHour(p));
    }
    // One offer is a node for a tick: how much work it does, and what a unit of that costs.
    double[][] offers = new double[ticks * workers][];
    int count = 0;
    double[] prices = new double[workers];
    for (int t = 0; t < ticks; t++) {
      double seconds = Math.min(market.tickSeconds(), withinSeconds - t * market.tickSeconds());
      cheapest(market, firstTick + t, onDemand, prices);
      for (int n = 0; n < workers; n++) {
        if (gain[n] > 0) {
          offers[count++] = new double[] {prices[n] / 3600 / gain[n], gain[n] * seconds};
        }
      }
    }
    Arrays.sort(offers, 0, count, (a, b) -> Double.compare(a[0], b[0]));
    double left = scenario.work();
    double usd = 0;
    for (int i = 0; i < count && left > 0; i++) {
      double units = Math.min(left, offers[i][1]);
      usd += units * offers[i][0];
      left -= units;
    }
    if (left > scenario.work() * 1e-9) {
      return Double.POSITIVE_INFINITY;
    }
    double fastest = scenario.work() / hullTop(gain);
    return usd + scenario.anchorsPerHour().dollars() * fastest / 3600;
  }

  /** Fills in what the first, second, ... node of a tick costs, cheapest first. */
  private static void cheapest(SpotMarket market, int tick, double onDemand, double[] prices) {
    int pools = market.pools().size();
    Arrays.fill(prices, onDemand);
    int filled = 0;
    double last = Double.NEGATIVE_INFINITY;
    while (filled < prices.length) {
      double price = onDemand;
      for (int p = 0; p < pools; p++) {
        double spot = market.spotUsdPerHour(p, tick);
        if (spot > last && spot < price) {
          price = spot;
        }
      }
      if (price >= onDemand) {
        return;
      }
      for (int p = 0; p < pools; p++) {
        if (market.spotUsdPerHour(p, tick) == price) {
          int upTo = Math.min(prices.length, filled + market.available(p, tick));
          Arrays.fill(prices, filled, upTo, price);
          filled = upTo;
        }
      }
      last = price;
    }
  }

  /**
   * Returns what each further member adds at most: slopes of the speeds' least concave majorant.
   */
  static double[] gains(double[] speeds, int workers) {
    double[] gains = new double[workers];
    int from = 0;
    double base = 0;
    while (from < workers) {
      int best = from + 1;
      double slope = Double.NEGATIVE_INFINITY;
      for (int n = from + 1; n <= workers; n++) {
        double candidate = (speeds[n - 1] - base) / (n - from);
        if (candidate >= slope) {
          slope = candidate;
          best = n;
        }
      }
      if (slope <= 0) {
        break;
      }
      Arrays.fill(gains, from, best, slope);
      base = speeds[best - 1];
      from = best;
    }
    return gains;
  }

  private static double hullTop(double[] gains) {
    return Arrays.stream(gains).sum();
  }
}

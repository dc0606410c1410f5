package io.deepvm.planner.parameterserver;

import org.jspecify.annotations.Nullable;

/**
 * The least bill that any completion of a part of a cluster can have, given the lines below which
 * its price P, its amplitude Q and mixtures of both cannot fall. All are piecewise linear in the
 * cluster's rate U. On one piece, with P and Q on their lines, the time is a / U^2 + b / U and the
 * price c + d U, so that the least bill lies at an end of the piece, where the product is
 * stationary, or where the time meets the deadline. Where a mixture P + w Q is bounded too, the
 * bill along that bound is concave in Q, so that it is least where the bound meets the line of P,
 * that of Q, or the deadline.
 */
final class LeastBill {

  private static final double SECONDS_PER_HOUR = 3600;

  /** Staleness follows the rate: pieces are kept this narrow so that its least stays close. */
  private static final double NARROW = 1.1;

  private final Fleet fleet;
  private final SupportLines lines;
  private final double deadline;
  private final Envelope price;
  private final Envelope amplitude;
  private final Envelope samples;
  private final Envelope[] mixed;

  /** The fastest worker may be a chosen one or one of the rest; each with the least samples. */
  private double fastestChosen;

  private double samplesWithChosen;
  private double fastestLeft;
  private double samplesWithLeft;

  /** What {@link #weigh} has found so far. */
  private double leastProduct;

  private double leastPrice;

  LeastBill(Fleet fleet, SupportLines lines) {
    this.fleet = fleet;
    this.lines = lines;
    deadline = fleet.trainingSeconds * (1 + 10 * Fleet.ROUNDING);
    price = new Envelope(lines.priceSlopes);
    amplitude = new Envelope(lines.amplitudeSlopes);
    samples = new Envelope(lines.samplesSlopes);
    mixed = new Envelope[lines.mixed.length];
    for (int i = 0; i < mixed.length; i++) {
      mixed[i] = new Envelope(lines.mixed[i].slopes());
    }
  }

  /**
   * The least bill when the rest comes from the offers at and after the first; infinite when it
   * must be late. It may stop at any bound that is enough.
   */
  double below(int first, int left, Fleet.Sums sums, double[] used, double enough) {
    double from = sums.rate() + lines.leastRate[first][left];
    if (!(from < Double.POSITIVE_INFINITY)) {
      return Double.POSITIVE_INFINITY;
    }
    price.set(lines.price, first, left, sums.price(), sums.rate());
    amplitude.set(lines.amplitude, first, left, sums.amplitude(), sums.rate());
    double to = sums.rate() + respectShared(first, left, used);
    if (to < from * (1 - Fleet.ROUNDING)) {
      return Double.POSITIVE_INFINITY;
    }
    if (fleet.coefficient) {
      samples.set(lines.samples, first, left, sums.samples(), sums.rate());
      fastestChosen = sums.fastest();
      samplesWithChosen = sums.samples() + left * lines.slowest[first];
      fastestLeft = lines.fastest[first];
      samplesWithLeft = samplesWithChosen - lines.slowest[first] + fastestLeft;
    }
    double bound = sweep(from, to, null, 0) / SECONDS_PER_HOUR;
    for (int i = 0; i < mixed.length && bound < enough; i++) {
      SupportLines.Mixed each = lines.mixed[i];
      mixed[i].set(
          each.lines(), first, left, sums.price() + each.weight() * sums.amplitude(), sums.rate());
      bound = Math.max(bound, sweep(from, to, mixed[i], each.weight()) / SECONDS_PER_HOUR);
    }
    return bound;
  }

  /**
   * Raises the price lines where shared limits allow; returns the most rate the rest can have,
   * which is less than none where a limit cannot be kept.
   */
  private double respectShared(int first, int left, double[] used) {
    double mostRate = lines.mostRate[first][left];
    for (int s = 0; s < used.length; s++) {
      SupportLines.Shared shared = lines.shared[s];
      double unused = shared.limit() - used[s];
      if (shared.leastDrawn()[first][left] > unused + Fleet.ROUNDING * Math.abs(shared.limit())) {
        return Double.NEGATIVE_INFINITY;
      }
      price.raise(shared.price(), first, left, -shared.unitPrice() * unused);
      mostRate = Math.min(mostRate, shared.mostRate()[first][left] + shared.unitRate() * unused);
    }
    return mostRate;
  }

  private double sweep(double from, double to, @Nullable Envelope mixture, double weight) {
    double least = Double.POSITIVE_INFINITY;
    double at = from;
    price.start(at);
    amplitude.start(at);
    if (mixture != null) {
      mixture.start(at);
    }
    if (fleet.coefficient) {
      samples.start(at);
    }
    while (true) {
      double next = Math.min(price.until(), amplitude.until());
      if (mixture != null) {
        next = Math.min(next, mixture.until());
      }
      if (fleet.coefficient) {
        next = Math.min(Math.min(next, samples.until()), Math.max(at, from) * NARROW);
      }
      double end = Math.max(at, Math.min(to, next));
      least = Math.min(least, piece(at, end, leastStaleness(at, end), mixture, weight));
      if (next >= to) {
        return least;
      }
      at = end;
      price.pass(next);
      amplitude.pass(next);
      if (mixture != null) {
        mixture.pass(next);
      }
      if (fleet.coefficient) {
        samples.pass(next);
      }
    }
  }

  /**
   * The least staleness between two rates. The fastest worker's share w is least harmful when
   * large; the others are then at best even, at (1 - w)^2 n / (n - 1).
   */
  private double leastStaleness(double from, double to) {
    if (!fleet.coefficient) {
      return 1;
    }
    if (fleet.workers == 1) {
      return fleet.staleness(0);
    }
    double atEnds =
        Math.min(
            samples.height() + samples.slope() * from, samples.height() + samples.slope() * to);
    double share =
        Math.max(
            fastestChosen / Math.max(samplesWithChosen, atEnds),
            fastestLeft / Math.max(samplesWithLeft, atEnds));
    double others = 1 - Math.min(1, share);
    return fleet.staleness(others * Math.sqrt(fleet.workers / (fleet.workers - 1.0)));
  }

  /** The least of seconds times price on one piece, extra seconds included. */
  private double piece(
      double from, double to, double stale, @Nullable Envelope mixture, double weight) {
    double q0 = amplitude.height();
    double q1 = amplitude.slope();
    double p0 = price.height();
    double p1 = price.slope();
    double apart = least(from, to, stale * q0, stale * q1 - fleet.shift, p0, p1);
    if (mixture == null || apart == Double.POSITIVE_INFINITY) {
      return apart;
    }
    double m0 = mixture.height();
    double m1 = mixture.slope();
    double onAmplitude =
        least(from, to, stale * q0, stale * q1 - fleet.shift, m0 - weight * q0, m1 - weight * q1);
    double onPrice =
        least(
            from, to, stale * (m0 - p0) / weight, stale * (m1 - p1) / weight - fleet.shift, p0, p1);
    double together = Math.min(onAmplitude, onPrice);
    if (deadline < Double.POSITIVE_INFINITY) {
      double atDeadline =
          Math.max(
              Math.min(p0 + p1 * from, p0 + p1 * to),
              Math.min(
                  m0 + m1 * from - weight * mostAmplitude(from, stale),
                  m0 + m1 * to - weight * mostAmplitude(to, stale)));
      together = Math.min(together, (deadline + fleet.extraSeconds) * atDeadline);
    }
    return Math.max(apart, together);
  }

  /** The amplitude that just meets the deadline at this rate. */
  private double mostAmplitude(double rate, double stale) {
    return (deadline * rate + fleet.shift) * rate / stale;
  }

  /** The least bill for times a / U^2 + b / U and prices c + d U between two rates. */
  private double least(double from, double to, double a, double b, double c, double d) {
    if (a / from + b < 0 || a / to + b < 0) {
      // Somewhere between, training takes next to no time.
      return fleet.extraSeconds * Math.min(c + d * from, c + d * to);
    }
    leastProduct = Double.POSITIVE_INFINITY;
    leastPrice = Double.POSITIVE_INFINITY;
    weigh((a / from + b) / from, c + d * from);
    weigh((a / to + b) / to, c + d * to);
    double stationary = -2 * a * c / (a * d + b * c);
    if (stationary > from && stationary < to) {
      weigh((a / stationary + b) / stationary, c + d * stationary);
    }
    double under = b * b + 4 * deadline * a;
    if (deadline < Double.POSITIVE_INFINITY && under >= 0) {
      double root = Math.sqrt(under);
      meet((b - root) / (2 * deadline), from, to, c, d);
      meet((b + root) / (2 * deadline), from, to, c, d);
    }
    return leastProduct == Double.POSITIVE_INFINITY
        ? leastProduct
        : leastProduct + fleet.extraSeconds * leastPrice;
  }

  /** Prices are straight, so that the least in time is also where the product may be least. */
  private void weigh(double seconds, double perHour) {
    if (seconds <= deadline) {
      leastProduct = Math.min(leastProduct, seconds * perHour);
      leastPrice = Math.min(leastPrice, perHour);
    }
  }

  private void meet(double rate, double from, double to, double c, double d) {
    if (rate > from && rate < to) {
      weigh(deadline, c + d * rate);
    }
  }
}

package io.deepvm.planner.parameterserver;

import io.deepvm.workload.parameterserver.LossCurve;
import io.deepvm.workload.parameterserver.ParameterServerModel;
import java.util.List;

/**
 * All offers seen by a cluster of a fixed number of workers. With that number the speed of each
 * worker is fixed, and a cluster enters time and cost only through sums over its workers: with
 * rates U, amplitudes Q and prices P, training takes (s Q / U - g) / U seconds, where s is the
 * staleness due to imbalance (1 without convergence coefficient) and g the shift of the loss curve.
 */
final class Fleet {

  private static final double SECONDS_PER_HOUR = 3600;

  /** What comparisons with the deadline forgive, for sums taken in another order. */
  static final double ROUNDING = 1e-12;

  final int workers;
  final int added;

  /** Iterations per second of one worker, by offer. */
  final double[] rate;

  /** Samples per second of one worker, by offer. */
  final double[] samples;

  /** Rate times amplitude of the loss curve of one worker, by offer. */
  final double[] amplitude;

  /** Dollars per hour of one worker, by offer. */
  final double[] price;

  /** The sums of the workers that already run, the servers' price included. */
  final Sums base;

  final double shift;
  final double trainingSeconds;
  final double extraSeconds;
  final boolean coefficient;
  private final double gamma4;

  /** Sums over the workers of a cluster, or of a part of it. */
  record Sums(
      double rate,
      double amplitude,
      double price,
      double samples,
      double squares,
      double fastest) {}

  Fleet(ProvisionRequest request, int workers) {
    ParameterServerModel model = request.model();
    LossCurve loss = model.profile().loss();
    List<WorkerOffer> offers = request.offers();
    int types = offers.size();
    this.workers = workers;
    added = workers - request.running();
    rate = new double[types];
    samples = new double[types];
    amplitude = new double[types];
    price = new double[types];
    Double current = request.goal().current();
    double reach = loss.reach(request.goal().target());
    if (current != null) {
      reach = Math.max(0, reach - loss.reach(current));
    }
    shift = current == null ? loss.gamma1() : 0;
    trainingSeconds = request.trainingSeconds();
    extraSeconds = request.billedBesidesTraining();
    coefficient = loss.gamma4() != null;
    gamma4 = loss.gamma4() == null ? 0 : loss.gamma4();
    Sums sums = new Sums(0, 0, request.billing().serversPerHour().dollars(), 0, 0, 0);
    for (int i = 0; i < types; i++) {
      WorkerOffer offer = offers.get(i);
      double batch = offer.type().batch();
      rate[i] = 1 / model.iterationSeconds(offer.type(), workers);
      samples[i] = batch * rate[i];
      amplitude[i] = rate[i] * loss.amplitude(batch) * Math.sqrt(workers) * reach;
      price[i] = offer.pricePerHour().dollars();
      sums = plus(sums, i, offer.running());
    }
    base = sums;
  }

  Sums plus(Sums sums, int offer, int count) {
    if (count == 0) {
      return sums;
    }
    double speed = samples[offer];
    return new Sums(
        sums.rate + count * rate[offer],
        sums.amplitude + count * amplitude[offer],
        sums.price + count * price[offer],
        sums.samples + count * speed,
        sums.squares + count * speed * speed,
        Math.max(sums.fastest, speed));
  }

  Sums sums(int[] counts) {
    Sums sums = base;
    for (int i = 0; i < counts.length; i++) {
      sums = plus(sums, i, counts[i]);
    }
    return sums;
  }

  /** The seconds of training; not above 0 where the loss curve starts out below the target. */
  double seconds(Sums sums) {
    double stale =
        coefficient
            ? staleness(ParameterServerModel.convergence(sums.samples, sums.fastest, sums.squares))
            : 1;
    return (stale * sums.amplitude / sums.rate - shift) / sums.rate;
  }

  double staleness(double convergence) {
    return coefficient ? Math.sqrt(convergence + gamma4) : 1;
  }

  /** Returns whether the cluster is in time, and trains at all. */
  boolean inTime(double seconds) {
    return seconds > 0 && seconds <= trainingSeconds * (1 + ROUNDING);
  }

  double dollars(double seconds, double pricePerHour) {
    return (seconds + extraSeconds) / SECONDS_PER_HOUR * pricePerHour;
  }

  /** The bill of a cluster, infinite when it is late. */
  double dollars(Sums sums) {
    double seconds = seconds(sums);
    return inTime(seconds) ? dollars(seconds, sums.price) : Double.POSITIVE_INFINITY;
  }
}

package io.deepvm.planner;

import io.deepvm.base.BadInput;
import io.deepvm.base.Durations;
import io.deepvm.base.Money;
import io.deepvm.base.Numbers;
import io.deepvm.workload.Job;
import io.deepvm.workload.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Judges clusters by the goal: what counts as better, and what is not allowed. */
final class Scorer {

  private static final double MICROS_AND_SECONDS_PER_HOUR = 1e6 * 3600;

  /** What meets a limit exactly must not miss it by the last bit of a division. */
  private static final double EXACTLY = 1 + 1e-12;

  private final Objective objective;
  private final @Nullable Work work;
  private final double deadlineSeconds;
  private final double maxCostMicros;

  Scorer(Goal goal, Job job) {
    this(
        goal.objective(),
        job.work(),
        goal.deadline() == null ? Double.POSITIVE_INFINITY : goal.deadline().toMillis() / 1e3,
        goal.maxCost() == null ? Double.POSITIVE_INFINITY : goal.maxCost().micros());
    boolean asksForWork =
        objective == Objective.COST
            || objective == Objective.TIME
            || goal.deadline() != null
            || goal.maxCost() != null;
    if (asksForWork && work == null) {
      throw new BadInput(
          "Cost, time and deadlines need to know how much work there is, and the job does not say.",
          goal.limits().pricePerHour() == null
              ? "Maybe give --job with a file that has 'work:', or --max-price-per-hour alone."
              : "Maybe give --job with a file that has 'work:', or choose --objective throughput.");
    }
  }

  private Scorer(
      Objective objective, @Nullable Work work, double deadlineSeconds, double maxCostMicros) {
    this.objective = objective;
    this.work = work;
    this.deadlineSeconds = deadlineSeconds;
    this.maxCostMicros = maxCostMicros;
  }

  Scorer withoutDeadline() {
    return new Scorer(objective, work, Double.POSITIVE_INFINITY, maxCostMicros);
  }

  Scorer withoutMaxCost() {
    return new Scorer(objective, work, deadlineSeconds, Double.POSITIVE_INFINITY);
  }

  Scorer optimising(Objective other) {
    return new Scorer(other, work, deadlineSeconds, maxCostMicros);
  }

  Objective objective() {
    return objective;
  }

  /** The objective's value as the user knows it. */
  double score(double z, double speed, long price) {
    return switch (objective) {
      case FLOPP -> z;
      case THROUGHPUT -> speed;
      case TIME -> seconds(speed);
      case COST -> seconds(speed) * price / MICROS_AND_SECONDS_PER_HOUR;
    };
  }

  /** How good a cluster is: more is better, whatever the objective. */
  double merit(double z, double speed, long price) {
    double score = tenDigits(score(z, speed, price));
    return objective == Objective.FLOPP || objective == Objective.THROUGHPUT ? score : -score;
  }

  /**
   * Rounds to ten digits. Two clusters of the same worth may differ in the last bits by the way it
   * was computed; then the cheaper one must win, not the luckier one.
   */
  static double tenDigits(double value) {
    long half = 1L << 15;
    return Double.longBitsToDouble((Double.doubleToRawLongBits(value) + half) & ~(2 * half - 1));
  }

  /** The score to ten digits, from the merit. */
  double score(double merit) {
    return Math.abs(merit);
  }

  /** What another node is bought for: the paper's Z, or speed. */
  double value(double z, double speed) {
    return objective == Objective.FLOPP ? z : speed;
  }

  /** Whether the deadline and the total cost are kept. */
  boolean allows(double speed, long price) {
    if (speed <= 0) {
      return false;
    }
    if (work == null) {
      return true;
    }
    double seconds = work.secondsAt(speed);
    return seconds <= deadlineSeconds * EXACTLY
        && seconds * price / 3600 <= maxCostMicros * EXACTLY;
  }

  /** Whether a cluster of this speed misses the deadline. */
  boolean isLate(double speed) {
    return work != null
        && Double.isFinite(deadlineSeconds)
        && (speed <= 0 || work.secondsAt(speed) > deadlineSeconds * EXACTLY);
  }

  /** Seconds until the work is done, where the job states its work. */
  double seconds(double speed) {
    return Objects.requireNonNull(work).secondsAt(speed);
  }

  /** The speed that takes this many seconds. */
  double speedFor(double seconds) {
    return seconds(1) / seconds;
  }

  /** Micro-dollars per hour and speed of a cluster, from its merit by cost. */
  double pricePerSpeed(double costMerit) {
    return -costMerit * MICROS_AND_SECONDS_PER_HOUR / seconds(1);
  }

  /** The deadline and the total cost as floors on sums over nodes, the settled ones taken off. */
  List<MixProblem.Floor> floors(
      double[] speeds, long[] prices, double fixedSpeed, long fixedPrice) {
    List<MixProblem.Floor> floors = new ArrayList<>();
    if (Double.isFinite(deadlineSeconds)) {
      floors.add(new MixProblem.Floor(speeds, speedFor(deadlineSeconds) - fixedSpeed));
    }
    if (Double.isFinite(maxCostMicros)) {
      // seconds x price / 3600 <= cost, times speed: price <= affordable price per speed x speed
      double perSpeed = maxCostMicros * 3600 / seconds(1);
      double[] slack = new double[speeds.length];
      for (int i = 0; i < slack.length; i++) {
        slack[i] = perSpeed * speeds[i] - prices[i];
      }
      floors.add(new MixProblem.Floor(slack, fixedPrice - perSpeed * fixedSpeed));
    }
    return floors;
  }

  /** What a cluster of this speed and price is expected to do. */
  Prediction predict(double speedup, double speed, long price) {
    if (work == null) {
      return new Prediction(speedup, speed, null, null);
    }
    double seconds = seconds(speed);
    return new Prediction(
        speedup,
        speed,
        work.samplesPerSecondAt(speed),
        null,
        Money.ZERO,
        seconds,
        new Money(price).times(seconds / 3600));
  }

  /** The score of a cluster of such workers with its unit. */
  String print(double score, Worker worker) {
    return switch (objective) {
      case FLOPP -> "Z " + worker.print(score, "FLOP/$");
      case THROUGHPUT -> worker.print(score, "FLOPS");
      case TIME -> Durations.print(Durations.ofSeconds(score));
      case COST -> "$" + Numbers.print(score);
    };
  }
}

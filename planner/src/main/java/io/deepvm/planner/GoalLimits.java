package io.deepvm.planner;

import io.deepvm.base.Durations;
import io.deepvm.base.Money;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The most that a cluster may cost and take; null means no limit.
 *
 * @param pricePerHour of the whole cluster
 * @param cost of the whole job
 * @param deadline of the whole job
 * @param confidence with which the deadline must be met, where the model knows its own uncertainty
 */
public record GoalLimits(
    @Nullable Money pricePerHour,
    @Nullable Money cost,
    @Nullable Duration deadline,
    @Nullable Double confidence) {

  public GoalLimits {
    Goal.require(
        pricePerHour == null || pricePerHour.isPositive(),
        "max price per hour",
        pricePerHour,
        "above $0");
    Goal.require(cost == null || cost.isPositive(), "max cost", cost, "above $0");
    Goal.require(
        deadline == null || (!deadline.isNegative() && !deadline.isZero()),
        "deadline",
        deadline == null ? null : Durations.print(deadline),
        "above 0");
    Goal.require(
        confidence == null || (confidence > 0 && confidence < 1),
        "confidence",
        confidence,
        "above 0 and below 1");
  }

  /** Returns a ceiling on the hourly bill and no other limit. */
  public static GoalLimits perHour(Money ceiling) {
    return new GoalLimits(ceiling, null, null, null);
  }

  /** Returns the same limits with this ceiling on the hourly bill. */
  public GoalLimits withPricePerHour(@Nullable Money ceiling) {
    return new GoalLimits(ceiling, cost, deadline, confidence);
  }

  /** Returns the same limits with this most cost of the whole job. */
  public GoalLimits withCost(@Nullable Money most) {
    return new GoalLimits(pricePerHour, most, deadline, confidence);
  }

  /** Returns the same limits with this deadline. */
  public GoalLimits withDeadline(@Nullable Duration by) {
    return new GoalLimits(pricePerHour, cost, by, confidence);
  }

  /** Returns the same limits, to be met with this probability. */
  public GoalLimits withConfidence(@Nullable Double probability) {
    return new GoalLimits(pricePerHour, cost, deadline, probability);
  }
}

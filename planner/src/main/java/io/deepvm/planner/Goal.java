package io.deepvm.planner;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.PlaceFilter;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the user wants and will pay: stage one of the planner.
 *
 * @param offers what may be rented or used
 * @param architectures names of those to consider; empty means all
 * @param lastWorker what the last worker must bring
 * @param mix whether one cluster may mix worker types
 * @param alternatives how many plans to return
 */
public record Goal(
    GoalLimits limits,
    Objective objective,
    Selection offers,
    Set<String> architectures,
    CheckpointGoal checkpoints,
    LastWorker lastWorker,
    boolean mix,
    int alternatives) {

  /**
   * Stands for no ceiling on the hourly bill where another limit bounds it: more than all of a
   * market costs.
   */
  public static final Money NO_CEILING = new Money(1_000_000_000_000_000L);

  public Goal {
    architectures = Set.copyOf(architectures);
    if (mix && !lastWorker.buysOn()) {
      throw new BadInput(
          "A least marginal gain is asked for together with a mix of types, where no node is the last.",
          "Maybe drop --mix or --min-marginal-gain.");
    }
    require(alternatives >= 1, "number of plans", alternatives, "at least 1");
  }

  /** Returns the paper's defaults: Z, a checkpoint of 500 MB kept twice, three plans. */
  public static Goal within(Money maxPricePerHour) {
    return within(GoalLimits.perHour(maxPricePerHour));
  }

  /** Returns the paper's defaults with these limits. */
  public static Goal within(GoalLimits limits) {
    return new Goal(
        limits,
        Objective.FLOPP,
        Selection.USUAL,
        Set.of(),
        CheckpointGoal.USUAL,
        LastWorker.ANY,
        false,
        3);
  }

  /** Returns the same goal with these limits. */
  public Goal withLimits(GoalLimits others) {
    return new Goal(
        others, objective, offers, architectures, checkpoints, lastWorker, mix, alternatives);
  }

  /** Returns the same goal with another objective. */
  public Goal withObjective(Objective other) {
    return new Goal(
        limits, other, offers, architectures, checkpoints, lastWorker, mix, alternatives);
  }

  /** Returns the same goal with this selection of offers. */
  public Goal withOffers(Selection others) {
    return new Goal(
        limits, objective, others, architectures, checkpoints, lastWorker, mix, alternatives);
  }

  /** Returns the same goal for these architectures only. */
  public Goal withArchitectures(Set<String> others) {
    return new Goal(limits, objective, offers, others, checkpoints, lastWorker, mix, alternatives);
  }

  /** Returns the same goal with checkpoints kept like this. */
  public Goal withCheckpoints(CheckpointGoal others) {
    return new Goal(
        limits, objective, offers, architectures, others, lastWorker, mix, alternatives);
  }

  /** Returns the same goal with this rule for the last worker. */
  public Goal withLastWorker(LastWorker other) {
    return new Goal(
        limits, objective, offers, architectures, checkpoints, other, mix, alternatives);
  }

  /** Returns the same goal, of mixed worker types. */
  public Goal mixing() {
    return new Goal(
        limits, objective, offers, architectures, checkpoints, lastWorker, true, alternatives);
  }

  /** Returns the same goal with this many plans to return. */
  public Goal withAlternatives(int plans) {
    return new Goal(limits, objective, offers, architectures, checkpoints, lastWorker, mix, plans);
  }

  /** Returns the same goal with these machines at hand. */
  public Goal withOwn(List<GivenCluster.Group> machines) {
    return withOffers(offers.withOwn(machines));
  }

  /** Returns the same goal, to be met with this probability. */
  public Goal withConfidence(@Nullable Double probability) {
    return withLimits(limits.withConfidence(probability));
  }

  /** The most that the cluster may cost per hour; {@link #NO_CEILING} where no limit is stated. */
  public Money maxPricePerHour() {
    return limits.pricePerHour() == null ? NO_CEILING : limits.pricePerHour();
  }

  /** Where nodes may stand; empty means anywhere. */
  public List<PlaceFilter> places() {
    return offers.places();
  }

  public @Nullable Duration deadline() {
    return limits.deadline();
  }

  public @Nullable Money maxCost() {
    return limits.cost();
  }

  public @Nullable Double confidence() {
    return limits.confidence();
  }

  /** Machines at hand, usable in part. */
  public List<GivenCluster.Group> own() {
    return offers.own();
  }

  /** The size of one checkpoint. */
  public DataSize checkpoint() {
    return checkpoints.size();
  }

  static void require(boolean holds, String what, @Nullable Object value, String rule) {
    if (!holds) {
      throw new BadInput(
          "The %s (%s) must be %s.".formatted(what, value, rule),
          "Maybe a digit or a sign slipped in.");
    }
  }
}

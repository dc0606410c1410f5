package io.deepvm.planner;

import io.deepvm.catalog.PlaceFilter;
import io.deepvm.units.BadInput;
import io.deepvm.units.DataSize;
import io.deepvm.units.Durations;
import io.deepvm.units.Money;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the user wants and will pay: stage one of the planner.
 *
 * @param places where nodes may stand; empty means anywhere
 * @param architectures names of those to consider; empty means all
 * @param anchorSlots how many checkpoints an anchor keeps in memory at a time
 * @param checkpointInterval within which one checkpoint must have reached the anchors
 * @param minMarginalGain the least relative gain the last worker must bring; 0 buys on
 * @param mix whether one cluster may mix worker types
 * @param alternatives how many plans to return
 * @param own machines at hand, usable in part
 * @param confidence with which the deadline must be met, where the model knows its own uncertainty
 */
public record Goal(
    Money maxPricePerHour,
    Objective objective,
    List<PlaceFilter> places,
    Set<String> architectures,
    DataSize checkpoint,
    double anchorSlots,
    AnchorMemory anchorMemory,
    Duration checkpointInterval,
    double minMarginalGain,
    @Nullable Duration deadline,
    @Nullable Money maxCost,
    boolean mix,
    int alternatives,
    List<GivenCluster.Group> own,
    @Nullable Double confidence) {

  /**
   * Stands for no ceiling on the hourly bill where another one limits it: more than all of a market
   * costs.
   */
  public static final Money NO_CEILING = new Money(1_000_000_000_000_000L);

  /** A goal without machines of one's own, and without a stated confidence. */
  public Goal(
      Money maxPricePerHour,
      Objective objective,
      List<PlaceFilter> places,
      Set<String> architectures,
      DataSize checkpoint,
      double anchorSlots,
      AnchorMemory anchorMemory,
      Duration checkpointInterval,
      double minMarginalGain,
      @Nullable Duration deadline,
      @Nullable Money maxCost,
      boolean mix,
      int alternatives) {
    this(
        maxPricePerHour,
        objective,
        places,
        architectures,
        checkpoint,
        anchorSlots,
        anchorMemory,
        checkpointInterval,
        minMarginalGain,
        deadline,
        maxCost,
        mix,
        alternatives,
        List.of(),
        null);
  }

  public Goal {
    own = List.copyOf(own);
    places = List.copyOf(places);
    architectures = Set.copyOf(architectures);
    require(maxPricePerHour.isPositive(), "max price per hour", maxPricePerHour, "above $0");
    require(checkpoint.bytes() > 0, "checkpoint size", checkpoint, "above 0");
    require(
        anchorSlots > 0 && anchorSlots <= 1e6,
        "number of anchor slots",
        anchorSlots,
        "above 0 and at most 1,000,000");
    require(
        !checkpointInterval.isNegative() && !checkpointInterval.isZero(),
        "checkpoint interval",
        Durations.print(checkpointInterval),
        "above 0");
    require(
        minMarginalGain >= 0 && minMarginalGain < 1,
        "least marginal gain",
        minMarginalGain,
        "at least 0 and below 1");
    require(
        deadline == null || (!deadline.isNegative() && !deadline.isZero()),
        "deadline",
        deadline == null ? null : Durations.print(deadline),
        "above 0");
    require(maxCost == null || maxCost.isPositive(), "max cost", maxCost, "above $0");
    require(
        confidence == null || (confidence > 0 && confidence < 1),
        "confidence",
        confidence,
        "above 0 and below 1");
    if (mix && minMarginalGain > 0) {
      throw new BadInput(
          "A least marginal gain is asked for together with a mix of types, where no node is the last.",
          "Maybe drop --mix or --min-marginal-gain.");
    }
    require(alternatives >= 1, "number of plans", alternatives, "at least 1");
  }

  /** Returns the paper's defaults: Z, a checkpoint of 500 MB kept twice, three plans. */
  public static Goal within(Money maxPricePerHour) {
    return new Goal(
        maxPricePerHour,
        Objective.FLOPP,
        List.of(),
        Set.of(),
        DataSize.ofGb(0.5),
        2,
        AnchorMemory.SHARE,
        Duration.ofMinutes(10),
        0,
        null,
        null,
        false,
        3);
  }

  /** Returns the same goal for these architectures only. */
  public Goal withArchitectures(Set<String> others) {
    return new Goal(
        maxPricePerHour,
        objective,
        places,
        others,
        checkpoint,
        anchorSlots,
        anchorMemory,
        checkpointInterval,
        minMarginalGain,
        deadline,
        maxCost,
        mix,
        alternatives,
        own,
        confidence);
  }

  /** Returns the same goal with these machines at hand. */
  public Goal withOwn(List<GivenCluster.Group> machines) {
    return new Goal(
        maxPricePerHour,
        objective,
        places,
        architectures,
        checkpoint,
        anchorSlots,
        anchorMemory,
        checkpointInterval,
        minMarginalGain,
        deadline,
        maxCost,
        mix,
        alternatives,
        machines,
        confidence);
  }

  /** Returns the same goal, to be met with this probability. */
  public Goal withConfidence(@Nullable Double probability) {
    return new Goal(
        maxPricePerHour,
        objective,
        places,
        architectures,
        checkpoint,
        anchorSlots,
        anchorMemory,
        checkpointInterval,
        minMarginalGain,
        deadline,
        maxCost,
        mix,
        alternatives,
        own,
        probability);
  }

  private static void require(boolean holds, String what, @Nullable Object value, String rule) {
    if (!holds) {
      throw new BadInput(
          "The %s (%s) must be %s.".formatted(what, value, rule),
          "Maybe a digit or a sign slipped in.");
    }
  }
}

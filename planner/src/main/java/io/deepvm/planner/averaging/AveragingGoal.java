package io.deepvm.planner.averaging;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.workload.averaging.PeerGroup;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What peers are wanted for, and within which limits.
 *
 * @param maxPricePerHour machines and traffic together; null means no limit
 * @param minSamplesPerSecond the speed to reach; null means none
 * @param maxDollarsPerMillion machines and traffic for a million samples; null means no limit
 * @param largestTargetBatch the largest that the optimizer bears: more is never slower or dearer
 * @param maxPeersPerPlace how many of one place may be had; spot capacity is what runs out
 * @param markets on which peers may be rented
 * @param own machines at hand, each group usable in part; their price may be $0
 * @param gpuMemory what one replica needs on one GPU; null means unknown, and then no limit
 * @param places where to rent; empty means anywhere
 */
public record AveragingGoal(
    Aim aim,
    @Nullable Money maxPricePerHour,
    @Nullable Double minSamplesPerSecond,
    @Nullable Double maxDollarsPerMillion,
    int largestTargetBatch,
    int maxPeers,
    int maxPeersPerPlace,
    int maxContinents,
    Set<Market> markets,
    List<PeerGroup> own,
    @Nullable DataSize gpuMemory,
    List<PlaceFilter> places,
    int alternatives) {

  /** More peers than any run that the model was tried on by far. */
  private static final int MOST_PEERS = 64;

  /** What makes one cluster better than another. */
  public enum Aim {
    /** The most samples per second, within the price per hour. */
    THROUGHPUT,
    /** The fewest dollars per sample. */
    COST_PER_SAMPLE,
    /** The fewest dollars per hour that reach the speed. */
    PRICE_PER_HOUR
  }

  public AveragingGoal {
    own = List.copyOf(own);
    places = List.copyOf(places);
    markets = Set.copyOf(markets);
    require(
        maxPricePerHour == null || maxPricePerHour.isPositive(),
        "max price per hour",
        maxPricePerHour,
        "above $0");
    require(
        minSamplesPerSecond == null
            || (minSamplesPerSecond > 0 && Double.isFinite(minSamplesPerSecond)),
        "speed to reach",
        minSamplesPerSecond,
        "above 0");
    require(
        maxDollarsPerMillion == null
            || (maxDollarsPerMillion > 0 && Double.isFinite(maxDollarsPerMillion)),
        "cost of a million samples",
        maxDollarsPerMillion,
        "above $0");
    require(largestTargetBatch >= 1, "target batch size", largestTargetBatch, "at least 1");
    require(maxPeers >= 1 && maxPeers <= MOST_PEERS, "number of peers", maxPeers, "from 1 to 64");
    require(maxPeersPerPlace >= 1, "number of peers per place", maxPeersPerPlace, "at least 1");
    require(maxContinents >= 1, "number of continents", maxContinents, "at least 1");
    require(alternatives >= 1, "number of plans", alternatives, "at least 1");
    if (aim == Aim.PRICE_PER_HOUR && minSamplesPerSecond == null) {
      throw new BadInput(
          "The least price per hour is asked for without a speed to reach.",
          "Maybe state samples per second.");
    }
  }

  /** Returns the usual limits: 32 spot peers on 4 continents, a target batch of 32768. */
  public static AveragingGoal of(Aim aim, @Nullable Money maxPricePerHour) {
    return of(aim, maxPricePerHour, null);
  }

  /** Returns the same limits for the least price per hour at a speed. */
  public static AveragingGoal cheapestReaching(double samplesPerSecond) {
    return of(Aim.PRICE_PER_HOUR, null, samplesPerSecond);
  }

  private static AveragingGoal of(Aim aim, @Nullable Money perHour, @Nullable Double speed) {
    return new AveragingGoal(
        aim,
        perHour,
        speed,
        null,
        32768,
        32,
        32,
        4,
        Set.of(Market.SPOT),
        List.of(),
        null,
        List.of(),
        3);
  }

  public AveragingGoal reaching(double samplesPerSecond) {
    return with(aim, maxPricePerHour, samplesPerSecond, maxDollarsPerMillion);
  }

  public AveragingGoal costingAtMost(double dollarsPerMillion) {
    return with(aim, maxPricePerHour, minSamplesPerSecond, dollarsPerMillion);
  }

  /** Returns the goal of the least price per hour that does the rest. */
  AveragingGoal forTheLeastPricePerHour() {
    double speed = minSamplesPerSecond == null ? Double.MIN_VALUE : minSamplesPerSecond;
    return with(Aim.PRICE_PER_HOUR, null, speed, maxDollarsPerMillion);
  }

  /** Returns the goal of the least cost that does the rest. */
  AveragingGoal forTheLeastCost() {
    return with(Aim.COST_PER_SAMPLE, maxPricePerHour, minSamplesPerSecond, null);
  }

  /** Returns the goal of the most speed that does the rest. */
  AveragingGoal forTheMostSpeed() {
    return with(Aim.THROUGHPUT, maxPricePerHour, null, maxDollarsPerMillion);
  }

  private AveragingGoal with(
      Aim other,
      @Nullable Money perHour,
      @Nullable Double speed,
      @Nullable Double dollarsPerMillion) {
    return new AveragingGoal(
        other,
        perHour,
        speed,
        dollarsPerMillion,
        largestTargetBatch,
        maxPeers,
        maxPeersPerPlace,
        maxContinents,
        markets,
        own,
        gpuMemory,
        places,
        alternatives);
  }

  public AveragingGoal with(List<PeerGroup> machines) {
    return new AveragingGoal(
        aim,
        maxPricePerHour,
        minSamplesPerSecond,
        maxDollarsPerMillion,
        largestTargetBatch,
        maxPeers,
        maxPeersPerPlace,
        maxContinents,
        markets,
        machines,
        gpuMemory,
        places,
        alternatives);
  }

  public AveragingGoal atMost(int peers, int perPlace, int continents) {
    return new AveragingGoal(
        aim,
        maxPricePerHour,
        minSamplesPerSecond,
        maxDollarsPerMillion,
        largestTargetBatch,
        peers,
        perPlace,
        continents,
        markets,
        own,
        gpuMemory,
        places,
        alternatives);
  }

  private static void require(boolean holds, String what, @Nullable Object value, String rule) {
    if (!holds) {
      throw new BadInput(
          "The %s is %s, but must be %s.".formatted(what, value, rule),
          "Maybe a digit is missing.");
    }
  }
}

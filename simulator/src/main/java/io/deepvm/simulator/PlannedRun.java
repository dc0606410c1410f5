package io.deepvm.simulator;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Market;
import io.deepvm.market.Pool;
import io.deepvm.planner.MemberRates;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What of a plan is needed to live it: who trains, how fast in part, and how its checkpoints fare.
 *
 * @param workers the nodes that train
 * @param helpers the nodes that do not train
 * @param rates of 1, 2, ... training nodes
 * @param seconds the undisturbed training of all takes; null when the job did not state its work
 * @param checkpoint how a checkpoint fares; its interval is the plan's
 * @param load what a node loads before it trains
 * @param deadlineSeconds null when there is none
 */
public record PlannedRun(
    String architecture,
    List<Group> workers,
    Helpers helpers,
    MemberRates rates,
    @Nullable Double seconds,
    Checkpointing checkpoint,
    NodeLoad load,
    @Nullable Double deadlineSeconds) {

  /**
   * Nodes that do not train: anchors, parameter servers.
   *
   * @param perHour what all of them cost together
   */
  public record Helpers(int count, Money perHour) {

    /** All nodes train. */
    public static final Helpers NONE = new Helpers(0, Money.ZERO);
  }

  /**
   * Equal training nodes.
   *
   * @param anchor whether they also keep the checkpoints
   * @param onDemandPerHour what one costs that stays; null when the catalog has none
   * @param speed of one, as a share of the speed of the plan's fastest
   * @param gpus of one, a fraction where a slice of a GPU is rented; null when the plan does not
   *     say
   */
  public record Group(
      Pool pool,
      Market market,
      int count,
      boolean anchor,
      Money pricePerHour,
      @Nullable Money onDemandPerHour,
      double speed,
      @Nullable Double gpus) {}

  public PlannedRun {
    workers = List.copyOf(workers);
    if (workers.isEmpty()) {
      throw new BadInput("The plan has no workers.", "Maybe it was cut short.");
    }
  }

  /** How many nodes train. */
  public int size() {
    return workers.stream().mapToInt(Group::count).sum();
  }

  /** How many nodes do not train. */
  public int anchors() {
    return helpers.count();
  }

  /** The speeds of 1, 2, ... training nodes, as shares of the speed of all. */
  public double[] speeds() {
    return rates.speeds();
  }

  /** The size of the state that moves with the job. */
  public DataSize state() {
    return checkpoint.size();
  }

  /** Returns the same run with the undisturbed training stated. */
  public PlannedRun lasting(double other) {
    return new PlannedRun(
        architecture, workers, helpers, rates, other, checkpoint, load, deadlineSeconds);
  }

  /** Returns the same run with another deadline. */
  public PlannedRun by(@Nullable Double other) {
    return new PlannedRun(architecture, workers, helpers, rates, seconds, checkpoint, load, other);
  }
}

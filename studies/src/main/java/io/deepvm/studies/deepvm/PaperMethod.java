package io.deepvm.studies.deepvm;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.planner.AnchorMemory;
import io.deepvm.planner.CheckpointGoal;
import io.deepvm.planner.Goal;
import io.deepvm.planner.Objective;
import java.util.Set;

/** The paper's method without the artifact's slips: a goal for our own planner. */
public final class PaperMethod {

  private PaperMethod() {}

  /**
   * Returns the paper's goal: one worker type, both architectures, each anchor holds the whole
   * checkpoint in each of its slots.
   *
   * @param objective flopp is the paper's own
   */
  public static Goal goal(
      Money budgetPerHour, Objective objective, DataSize checkpoint, double slots) {
    return Goal.within(budgetPerHour)
        .withObjective(objective)
        .withArchitectures(Set.of("single-anchor", "tiering"))
        .withCheckpoints(
            new CheckpointGoal(
                checkpoint, slots, AnchorMemory.WHOLE, CheckpointGoal.USUAL.interval()));
  }
}

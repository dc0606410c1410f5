package io.deepvm.studies.deepvm;

import io.deepvm.planner.AnchorMemory;
import io.deepvm.planner.Goal;
import io.deepvm.planner.Objective;
import io.deepvm.units.DataSize;
import io.deepvm.units.Money;
import java.util.List;
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
    Goal defaults = Goal.within(budgetPerHour);
    return new Goal(
        budgetPerHour,
        objective,
        List.of(),
        Set.of("single-anchor", "tiering"),
        checkpoint,
        slots,
        AnchorMemory.WHOLE,
        defaults.checkpointInterval(),
        0,
        null,
        null,
        false,
        defaults.alternatives());
  }
}

package io.deepvm.cli.options;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Market;
import io.deepvm.planner.AnchorMemory;
import io.deepvm.planner.CheckpointGoal;
import io.deepvm.planner.Goal;
import io.deepvm.planner.Hint;
import io.deepvm.planner.Objective;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Planner;
import io.deepvm.planner.Planning;
import io.deepvm.planner.Setting;
import io.deepvm.planner.parameterserver.ParameterServerFamily;
import io.deepvm.studies.deepvm.ArtifactPlanner;
import io.deepvm.studies.deepvm.ArtifactScript;
import io.deepvm.studies.spotdnn.SpotDnnMethod;
import io.deepvm.workload.Job;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Whose rules to plan by instead of our own. */
public enum Compat {
  /** The public artifact, with its quirks. */
  ARTIFACT("artifact") {
    @Override
    public Planning plan(Catalog catalog, Job job, Goal goal) {
      refuseWhatItLacks(goal);
      requireCeiling(goal);
      List<Plan> plans =
          ArtifactPlanner.plan(
              catalog.with(catalog.in(goal.places())),
              job,
              goal.maxPricePerHour(),
              goal.checkpoints().anchorSlots(),
              goal.checkpoint().gb(),
              ArtifactScript.reading(catalog));
      return new Planning(
          goal,
          List.of(),
          Map.of(),
          List.of(),
          plans.subList(0, Math.min(goal.alternatives(), plans.size())),
          List.of(),
          plans.isEmpty() ? nothing(goal) : null);
    }
  },
  /** The paper: its objective, and the whole checkpoint in each slot of each anchor. */
  PAPER("paper") {
    @Override
    public Planning plan(Catalog catalog, Job job, Goal goal) {
      refuse(!goal.own().isEmpty(), "--own");
      if (goal.architectures().equals(Set.of(ParameterServerFamily.NAME))) {
        return SpotDnnMethod.plan(catalog, job, goal);
      }
      refuse(goal.objective() != Objective.FLOPP, "--objective " + goal.objective());
      refuse(!goal.offers().markets().equals(Set.of(Market.SPOT)), "--market");
      requireCeiling(goal);
      Goal paper = goal.withCheckpoints(goal.checkpoints().withAnchorMemory(AnchorMemory.WHOLE));
      return new Planner(catalog, job).plan(paper);
    }
  };

  private final String label;

  Compat(String label) {
    this.label = label;
  }

  /** Returns what the original's rules choose. */
  public abstract Planning plan(Catalog catalog, Job job, Goal goal);

  @Override
  public String toString() {
    return label;
  }

  /** An option that the original knows nothing of would otherwise be silently ignored. */
  void refuseWhatItLacks(Goal goal) {
    refuse(goal.objective() != Objective.FLOPP, "--objective " + goal.objective());
    refuse(!goal.architectures().isEmpty(), "--architecture");
    refuse(goal.deadline() != null, "--deadline");
    refuse(goal.maxCost() != null, "--max-cost");
    refuse(!goal.lastWorker().buysOn(), "--min-marginal-gain");
    refuse(!goal.offers().markets().equals(Set.of(Market.SPOT)), "--market");
    refuse(goal.mix(), "--mix");
    refuse(!goal.own().isEmpty(), "--own");
    refuse(
        !goal.checkpoints().interval().equals(CheckpointGoal.USUAL.interval()),
        "--checkpoint-interval");
  }

  void requireCeiling(Goal goal) {
    if (goal.limits().pricePerHour() == null) {
      throw new BadInput(
          "The DeepVM %s plans for a price per hour, and none is given.".formatted(label),
          "Maybe add --max-price-per-hour 3, or drop --compat.");
    }
  }

  void refuse(boolean asked, String option) {
    if (asked) {
      throw new BadInput(
          "The DeepVM %s knows nothing of %s.".formatted(label, option),
          "Maybe drop that, or --compat.");
    }
  }

  private static Planning.Infeasible nothing(Goal goal) {
    return new Planning.Infeasible(
        "The artifact finds no cluster for %s/h.".formatted(goal.maxPricePerHour()),
        List.of(
            new Hint.Change("leave", Setting.COMPAT, "out to see the smallest budget that works")),
        null);
  }
}

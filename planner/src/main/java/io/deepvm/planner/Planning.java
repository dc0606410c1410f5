package io.deepvm.planner;

import io.deepvm.base.Money;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Everything one planning produced, stage by stage.
 *
 * @param ranking stage two: worker offers by FLOPP, best first, each machine once per region
 * @param leftOut offers that could not be considered, counted by reason
 * @param stages stage three: what each architecture found
 * @param plans stage four: the choice and its diverse alternatives, best first
 * @param paretoFront the plans than which none is both cheaper per hour and faster, cheapest first
 * @param infeasible why there is no plan; null when there is one
 * @param notes what else there is to know, such as which architectures are not among the plans
 */
public record Planning(
    Goal goal,
    List<RankedOffer> ranking,
    Map<String, Integer> leftOut,
    List<Stage> stages,
    List<Plan> plans,
    List<Plan> paretoFront,
    @Nullable Infeasible infeasible,
    List<String> notes) {

  public Planning {
    notes = List.copyOf(notes);
  }

  /** A planning about which there is nothing else to know. */
  public Planning(
      Goal goal,
      List<RankedOffer> ranking,
      Map<String, Integer> leftOut,
      List<Stage> stages,
      List<Plan> plans,
      List<Plan> paretoFront,
      @Nullable Infeasible infeasible) {
    this(goal, ranking, leftOut, stages, plans, paretoFront, infeasible, List.of());
  }

  /** Returns the same with these notes. */
  Planning withNotes(List<String> others) {
    return new Planning(goal, ranking, leftOut, stages, plans, paretoFront, infeasible, others);
  }

  /** Returns the same for this goal. */
  Planning withGoal(Goal other) {
    return new Planning(other, ranking, leftOut, stages, plans, paretoFront, infeasible, notes);
  }

  /** Returns the same with these counts of what could not be considered. */
  Planning withLeftOut(Map<String, Integer> others) {
    return new Planning(goal, ranking, others, stages, plans, paretoFront, infeasible, notes);
  }

  /** Returns the same with this reason why there is no plan. */
  Planning withInfeasible(Infeasible other) {
    return new Planning(goal, ranking, leftOut, stages, plans, paretoFront, other, notes);
  }

  /** Returns the same with one more note. */
  public Planning noting(String note) {
    List<String> more = new ArrayList<>(notes);
    more.add(note);
    return withNotes(more);
  }

  /** Returns the same with these plans chosen. */
  public Planning withPlans(List<Plan> others) {
    return new Planning(goal, ranking, leftOut, stages, others, paretoFront, infeasible, notes);
  }

  /** The outcome of one architecture: how many clusters it weighed and the best of them. */
  public record Stage(String architecture, long considered, @Nullable Plan best) {}

  /**
   * Why nothing fits.
   *
   * @param relax what to change, and by how much
   * @param smallestBudget the least price per hour that works, when the budget is what fails
   */
  public record Infeasible(String reason, List<Hint> relax, @Nullable Money smallestBudget) {

    public Infeasible {
      relax = List.copyOf(relax);
    }

    /**
     * Returns what to change as phrases.
     *
     * @param names how a setting is called
     */
    public List<String> relax(Function<Setting, String> names) {
      return relax.stream().map(hint -> hint.text(names)).toList();
    }
  }
}

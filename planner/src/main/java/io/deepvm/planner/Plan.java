package io.deepvm.planner;

import io.deepvm.base.Money;
import java.util.ArrayList;
import java.util.List;

/**
 * A cluster to rent, what it should do and why it was chosen.
 *
 * @param score the objective's value: more is better for flopp and throughput, less for cost, time
 * @param gap how far the true optimum may be from this score, relative; 0 when proven
 */
public record Plan(
    String architecture,
    List<NodeGroup> nodes,
    Money pricePerHour,
    Objective objective,
    double score,
    double gap,
    Prediction predicted,
    List<String> why) {

  public Plan {
    nodes = List.copyOf(nodes);
    why = List.copyOf(why);
  }

  /** How many nodes have the role. */
  public int count(Role role) {
    return nodes.stream().filter(g -> g.role() == role).mapToInt(NodeGroup::count).sum();
  }

  /** How many nodes there are in all. */
  public int size() {
    return nodes.stream().mapToInt(NodeGroup::count).sum();
  }

  /** Whether the first worker keeps the checkpoints, because no worker can be taken back. */
  public boolean isItsOwnAnchor() {
    return architecture.equals(SingleAnchor.NAME)
        && nodes.stream().allMatch(g -> g.role() == Role.WORKER);
  }

  /** Returns the plan with these reasons in place of its own. */
  public Plan withWhy(List<String> others) {
    return new Plan(architecture, nodes, pricePerHour, objective, score, gap, predicted, others);
  }

  /** Returns the plan with one more reason. */
  public Plan withReason(String reason) {
    List<String> more = new ArrayList<>(why);
    more.add(reason);
    return withWhy(more);
  }

  /** Returns the plan with its score in another unit. */
  Plan withScore(double other) {
    return new Plan(architecture, nodes, pricePerHour, objective, other, gap, predicted, why);
  }
}

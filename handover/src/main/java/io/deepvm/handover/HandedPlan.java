package io.deepvm.handover;

import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A plan to hand over.
 *
 * @param nodes groups of like nodes, the workers first
 * @param seconds how long the training takes undisturbed; null if the plan does not say
 * @param runnersUp the plans that were ranked below
 */
public record HandedPlan(
    int rank,
    String architecture,
    List<PlannedNodes> nodes,
    BigDecimal usdPerHour,
    @Nullable Double seconds,
    List<HandedPlan> runnersUp) {
  public HandedPlan {
    nodes = List.copyOf(nodes);
    runnersUp = List.copyOf(runnersUp);
  }

  List<PlannedNodes> workers() {
    return nodes.stream().filter(PlannedNodes::isWorker).toList();
  }

  List<PlannedNodes> others() {
    return nodes.stream().filter(group -> !group.isWorker()).toList();
  }

  int workerCount() {
    return workers().stream().mapToInt(PlannedNodes::count).sum();
  }

  /** Returns the nodes in words. */
  String words() {
    return nodes.stream().map(PlannedNodes::words).collect(Collectors.joining(" + "));
  }
}

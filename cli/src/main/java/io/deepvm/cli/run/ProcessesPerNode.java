package io.deepvm.cli.run;

import io.deepvm.base.BadInput;
import io.deepvm.simulator.PlannedRun;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How many processes a command starts on each node, in the words of torchrun's option. */
final class ProcessesPerNode {

  /** As many as the node has GPUs, and 1 on a node without. */
  static final String AUTO = "auto";

  private static final String GPU = "gpu";
  private static final int MOST = 1024;

  private ProcessesPerNode() {}

  /** Returns how many processes a node of each of the plan's instance types starts. */
  static Map<String, Integer> of(String text, PlannedRun run) {
    Map<String, Integer> byType = new LinkedHashMap<>();
    for (PlannedRun.Group group : run.workers()) {
      byType.put(group.pool().instanceType(), of(text, group));
    }
    return byType;
  }

  private static int of(String text, PlannedRun.Group group) {
    return of(text, group.pool().instanceType(), group.gpus());
  }

  /**
   * Returns how many processes a node starts.
   *
   * @param gpus null if nobody says how many it has
   */
  static int of(String text, String type, @Nullable Double gpus) {
    return switch (text) {
      case AUTO -> gpus == null ? 1 : perGpu(gpus);
      case GPU -> {
        if (gpus == null) {
          throw new BadInput(
              "The plan does not say how many GPUs a %s has.".formatted(type),
              "Maybe write the plan anew, or state the number: --nproc-per-node 4.");
        }
        if (gpus == 0) {
          throw new BadInput(
              "A %s has no GPU, so --nproc-per-node gpu starts nothing there.".formatted(type),
              "Maybe state the number: --nproc-per-node 1.");
        }
        yield perGpu(gpus);
      }
      default -> number(text);
    };
  }

  /** Returns a process for each GPU; a slice of one counts as one. */
  private static int perGpu(double gpus) {
    return Math.max(1, (int) Math.ceil(gpus));
  }

  private static int number(String text) {
    if (text.matches("[0-9]{1,4}")) {
      int number = Integer.parseInt(text);
      if (number >= 1 && number <= MOST) {
        return number;
      }
    }
    throw new BadInput(
        "'%s' is no number of processes a node: a number from 1 to %d, auto or gpu is."
            .formatted(text, MOST),
        "Maybe leave --nproc-per-node out: nodes with GPUs start a process for each.");
  }

  /** Returns how many processes all nodes of the plan start together. */
  static int total(Map<String, Integer> byType, PlannedRun run) {
    return run.workers().stream()
        .mapToInt(group -> group.count() * byType.getOrDefault(group.pool().instanceType(), 1))
        .sum();
  }
}

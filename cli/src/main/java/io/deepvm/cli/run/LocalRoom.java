package io.deepvm.cli.run;

import io.deepvm.base.BadInput;
import io.deepvm.simulator.PlannedRun;
import java.util.Map;

/** How many nodes and processes this machine can play. */
final class LocalRoom {

  private LocalRoom() {}

  /** Processes that get too little of a core each are no picture of machines any more. */
  static void check(PlannedRun run, Map<String, Integer> processes) {
    int room = Math.max(8, 4 * Runtime.getRuntime().availableProcessors());
    int total = ProcessesPerNode.total(processes, run);
    if (run.size() > room) {
      throw new BadInput(
          "The plan has %d workers, and this machine can play %d.".formatted(run.size(), room),
          "Maybe plan with a smaller --max-price-per-hour, or take another of its plans by"
              + " --rank.");
    } else if (total > room) {
      throw new BadInput(
          "The plan's %d nodes start %d processes, and this machine can play %d."
              .formatted(run.size(), total, room),
          "Maybe start fewer on each node: --nproc-per-node %d.".formatted(room / run.size()));
    }
  }
}

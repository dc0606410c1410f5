package io.deepvm.handover;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How many processes the nodes of a plan start, and the shell lines that start them. */
record Processes(HandedPlan plan, Task task) {

  private static final String FILE = "launch.sh";

  /** Returns the processes of each node of a group: one a GPU, unless the user says another. */
  int of(PlannedNodes group) {
    Integer stated = task.processes();
    return stated == null ? Math.max(1, group.gpus()) : stated;
  }

  /** Returns the processes of all workers. */
  int all() {
    return before(plan.workers().size());
  }

  /** Returns the processes of the groups of workers before one. */
  int before(int group) {
    List<PlannedNodes> workers = plan.workers();
    int sum = 0;
    for (PlannedNodes each : workers.subList(0, group)) {
      sum += each.count() * of(each);
    }
    return sum;
  }

  /** Returns a sentence about nodes that start several processes; null where none does. */
  @Nullable String sentence() {
    int most = plan.workers().stream().mapToInt(this::of).max().orElse(1);
    return most == 1
        ? null
        : "Nodes start up to %d processes, one for each GPU: a command that starts its own, such as torchrun, needs --nproc-per-node 1."
            .formatted(most);
  }

  /**
   * Returns shell lines that start "$@" as LOCAL_WORLD_SIZE processes from FIRST_RANK on. When one
   * fails, the others get SIGTERM, and 30 s later SIGKILL. SIGTERM is passed on to all.
   */
  static String launcher() {
    try (InputStream in = Processes.class.getResourceAsStream(FILE)) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package io.deepvm.handover;

import java.util.List;

/** A script for sbatch: a heterogeneous job with a component for each group of like workers. */
final class Sbatch implements Handover {

  private static final int NOTICE_SECONDS = 120;
  private static final int HOUR_MINUTES = 60;

  @Override
  public String tool() {
    return "sbatch";
  }

  @Override
  public String file() {
    return "train.sbatch";
  }

  @Override
  public String text(HandedPlan plan, Task task) {
    StringBuilder script = new StringBuilder("#!/bin/sh\n");
    Processes processes = new Processes(plan, task);
    script.append(notes(plan).about(processes).comment());
    script.append("#SBATCH --job-name=").append(task.plainName()).append('\n');
    script.append("#SBATCH --no-requeue\n");
    script.append("#SBATCH --signal=TERM@").append(NOTICE_SECONDS).append('\n');
    script.append("#SBATCH --time=").append(minutes(plan)).append('\n');
    List<PlannedNodes> workers = plan.workers();
    for (int i = 0; i < workers.size(); i++) {
      if (i > 0) {
        script.append("#SBATCH hetjob\n");
      }
      script.append("#SBATCH --nodes=%d --ntasks-per-node=1".formatted(workers.get(i).count()));
      if (workers.get(i).gpus() > 0) {
        script.append(" --gpus-per-node=").append(workers.get(i).gpus());
      }
      script.append('\n');
    }
    script.append("set -e\n");
    if (task.workdir() != null) {
      script.append("cd -- ").append(Task.quoted(task.workdir())).append('\n');
    }
    if (!task.setup().isEmpty()) {
      script.append(task.setup()).append('\n');
    }
    script.append("MASTER_ADDR=$(scontrol show hostnames ");
    script.append(
        workers.size() > 1 ? "\"$SLURM_JOB_NODELIST_HET_GROUP_0\"" : "\"$SLURM_JOB_NODELIST\"");
    script.append(" | head -n 1)\n");
    script.append("export MASTER_ADDR MASTER_PORT=29500 WORLD_SIZE=");
    script.append(processes.all()).append('\n');
    script.append("srun --kill-on-bad-exit=1");
    if (workers.size() > 1) {
      script.append(" --het-group=0-").append(workers.size() - 1);
    }
    script.append(" sh -c ").append(Task.quoted(ranks(processes) + Processes.launcher()));
    return script.append(" worker ").append(task.commandLine()).append('\n').toString();
  }

  /** A task of the step is a node. It finds its group by its number among all nodes. */
  private static String ranks(Processes processes) {
    List<PlannedNodes> workers = processes.plan().workers();
    StringBuilder lines = new StringBuilder();
    int nodes = 0;
    for (int i = 0; i < workers.size(); i++) {
      int each = processes.of(workers.get(i));
      lines
          .append("if [ \"$SLURM_PROCID\" -ge %d ]; then\n".formatted(nodes))
          .append("  LOCAL_WORLD_SIZE=%d\n".formatted(each))
          .append(
              "  FIRST_RANK=$((%d + (SLURM_PROCID - %d) * %d))\n"
                  .formatted(processes.before(i), nodes, each))
          .append("fi\n");
      nodes += workers.get(i).count();
    }
    return lines.append("export LOCAL_WORLD_SIZE\n").toString();
  }

  /** Twice the undisturbed time, since machines may be lost on the way. */
  private static long minutes(HandedPlan plan) {
    Double seconds = plan.seconds();
    return seconds == null ? 12 * HOUR_MINUTES : Math.max(1, (long) Math.ceil(seconds / 30));
  }

  private static Notes notes(HandedPlan plan) {
    Notes notes = new Notes(plan);
    notes.lost("Instance types, places and prices: maybe name partitions or constraints instead.");
    if (!plan.others().isEmpty()) {
      notes.lost("Nodes that keep checkpoints or parameters: save to a folder that nodes share.");
    }
    notes.lost("A node that is lost ends the job: 'deepvm run --on slurm' goes on without it.");
    return notes;
  }
}

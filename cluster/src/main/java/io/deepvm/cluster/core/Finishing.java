package io.deepvm.cluster.core;

import io.deepvm.checkpoint.TicketState;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.cluster.log.RunPhase;
import java.util.List;

/** Ends the run when its work is done, or when a server has saved before a stop. */
final class Finishing implements Rule {

  @Override
  public void apply(Turn turn) {
    RunState state = turn.state();
    if (state.isOver()) {
      return;
    }
    parting(turn);
    List<NodeLife> members = state.members();
    long generation = state.membership().number();
    if (generation > 0 && members.stream().allMatch(life -> life.doneIn(generation))) {
      turn.conclude(RunPhase.FINISHED, "every process ended with code 0");
    }
    boolean all =
        members.stream().allMatch(life -> life.hasFinished() || !life.lives() || !life.isWorker());
    if (state.steps().finishing() && (all || turn.nowMs() >= state.steps().finishMs())) {
      turn.conclude(RunPhase.FINISHED, "the work is done");
    }
  }

  private static void parting(Turn turn) {
    Parting parting = turn.state().parting();
    if (parting == null) {
      return;
    }
    boolean saved =
        turn.state().nodes().stream()
            .flatMap(life -> life.process().saved().entrySet().stream())
            // Copies in memory do not outlive the run.
            .anyMatch(
                e ->
                    TicketState.reaches(e.getKey(), Level.DURABLE)
                        && e.getValue() >= parting.step());
    if (saved || turn.nowMs() >= parting.untilMs()) {
      turn.conclude(parting.outcome(), parting.reason());
    }
  }

  @Override
  public long wakeMs(RunState state) {
    Parting parting = state.parting();
    return state.isOver()
        ? Long.MAX_VALUE
        : Math.min(state.steps().finishMs(), parting == null ? Long.MAX_VALUE : parting.untilMs());
  }
}

package io.deepvm.cluster.core;

import io.deepvm.cluster.log.NodeState;

/**
 * Starts the process of a member again after its end was logged. Usually the same input orders
 * that, but a coordinator may die when only the end is on disk.
 */
final class Restarting implements Rule {

  @Override
  public void apply(Turn turn) {
    if (Kinds.isCommand(turn.state())) {
      return;
    }
    for (NodeLife life : turn.state().living()) {
      if (!turn.state().isOver() && hasEnded(turn.state(), life)) {
        turn.failed(life, "Its training process has ended");
      }
    }
  }

  private static boolean hasEnded(RunState state, NodeLife life) {
    AgentFacts agent = life.agent();
    return agent != null
        && state.heard(life)
        && life.state() == NodeState.BOOTING
        && !life.hasFinished()
        && agent.number() > 0
        && agent.number() <= life.process().exited()
        && agent.number() >= life.process().start();
  }

  @Override
  public long wakeMs(RunState state) {
    return Long.MAX_VALUE;
  }
}

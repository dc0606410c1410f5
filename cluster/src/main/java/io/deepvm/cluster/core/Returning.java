package io.deepvm.cluster.core;

import io.deepvm.cluster.log.NodeState;

/** After a coordinator took over, agents that reported to an earlier one must report again. */
final class Returning implements Rule {

  private static final double GRACE_SECONDS = 2;

  /** Whether every agent that reported to an earlier coordinator has reported to this one. */
  static boolean allBack(RunState state) {
    return state.living().stream().noneMatch(life -> isMissing(state, life));
  }

  private static boolean isMissing(RunState state, NodeLife life) {
    boolean worked = life.state() != NodeState.BOOTING && life.state() != NodeState.REQUESTED;
    return worked && life.agent() != null && !state.heard(life);
  }

  private static long untilMs(RunState state) {
    return state.openedMs() + Kinds.ms(Kinds.timeouts(state).sessionSeconds() + GRACE_SECONDS);
  }

  @Override
  public void apply(Turn turn) {
    RunState state = turn.state();
    if (turn.nowMs() < untilMs(state) || state.isOver()) {
      return;
    }
    for (NodeLife life : state.living()) {
      if (isMissing(state, life)) {
        turn.lose(life, "its agent did not come back to the coordinator");
      }
    }
  }

  @Override
  public long wakeMs(RunState state) {
    return state.isOver() || allBack(state) ? Long.MAX_VALUE : untilMs(state);
  }
}

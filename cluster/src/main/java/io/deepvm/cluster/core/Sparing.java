package io.deepvm.cluster.core;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.NodeState;

/**
 * A node is used again when its notice does not come true. Either the cloud takes the notice back,
 * or the machine is still there long after the announced time.
 */
final class Sparing implements Rule {

  /** Time after the announced end for a cloud to take the machine, or to report that it is gone. */
  private static final double GRACE_SECONDS = 60;

  /** Longer leads count as this long, which is for ever. */
  private static final double LONGEST_LEAD_SECONDS = 1e9;

  /** Ends the notice of a node; changes nothing if the node has none. */
  static void spare(Turn turn, String node) {
    NodeLife life = turn.state().find(node);
    if (life == null || life.state() != NodeState.NOTICED) {
      return;
    }
    AgentFacts agent = life.agent();
    boolean departed = life.hasDeparted();
    long generation = turn.state().membership().number();
    NodeState back =
        agent == null || !agent.ready() || departed
            ? NodeState.BOOTING
            : life.trainsIn(generation) ? NodeState.TRAINING : NodeState.READY;
    turn.turn(life, back, "the notice did not come true");
    if (departed && agent != null && !Kinds.isCommand(turn.state())) {
      int restarts = turn.state().membership().restarts();
      turn.write(new Event.Restarted(node, agent.number() + 1, restarts));
    }
  }

  @Override
  public void apply(Turn turn) {
    if (turn.state().isOver()) {
      return;
    }
    for (NodeLife life : turn.state().living()) {
      if (life.state() == NodeState.NOTICED && turn.nowMs() >= untilMs(turn.state(), life)) {
        spare(turn, life.name());
      }
    }
  }

  private static long untilMs(RunState state, NodeLife life) {
    NodeLife.Warning warning = life.process().warning();
    double seconds = Math.min(warning.leadSeconds(), LONGEST_LEAD_SECONDS) + GRACE_SECONDS;
    return Math.max(warning.atMs(), state.openedMs()) + Kinds.ms(seconds);
  }

  @Override
  public long wakeMs(RunState state) {
    return state.isOver()
        ? Long.MAX_VALUE
        : state.living().stream()
            .filter(life -> life.state() == NodeState.NOTICED)
            .mapToLong(life -> untilMs(state, life))
            .min()
            .orElse(Long.MAX_VALUE);
  }
}

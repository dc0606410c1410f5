package io.deepvm.cluster.core;

import io.deepvm.cluster.link.AgentOrders;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.output.LogRanks;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the coordinator wants of each agent: a function of the state alone. */
public final class AgentOrdersOf {

  private AgentOrdersOf() {}

  /** Returns the orders of a node, without the version that the sender counts. */
  public static AgentOrders node(RunState state, NodeLife life, LogRanks show) {
    NodeLife.ProcessFacts process = life.process();
    return new AgentOrders(
        state.epoch(),
        0,
        generation(state, life),
        new AgentOrders.ProcessOrders(process.start(), process.killed(), process.killReason()),
        notice(state, life),
        stop(state, life),
        show);
  }

  private static AgentOrders.@Nullable Formation generation(RunState state, NodeLife life) {
    Membership membership = state.membership();
    return membership.has(life.name()) && life.lives()
        ? new AgentOrders.Formation(
            membership.number(), membership.members(), membership.restarts(), masterPort(state))
        : null;
  }

  /** Returns the rendezvous port of commands; 0 until every member has ended its old command. */
  static int masterPort(RunState state) {
    long generation = state.membership().number();
    List<NodeLife> members = state.members();
    boolean waits =
        members.stream()
            .map(NodeLife::part)
            .anyMatch(part -> part instanceof Part.Asked || part.generation() != generation);
    return waits || members.isEmpty() ? 0 : members.get(0).process().masterPort();
  }

  /** A server is warned before a stop, so that it saves what the workers have finished. */
  private static AgentOrders.@Nullable NoticeOrder notice(RunState state, NodeLife life) {
    Parting parting = state.parting();
    if (life.state() == NodeState.NOTICED) {
      NodeLife.Warning warning = life.process().warning();
      if (warning.machineNotice() > 0) {
        // The agent itself reported it, and has passed it on.
        return null;
      }
      return new AgentOrders.NoticeOrder(warning.number(), warning.leadSeconds());
    }
    boolean first =
        state.members().stream()
            .filter(member -> !member.isWorker())
            .findFirst()
            .map(NodeLife::name)
            .filter(life.name()::equals)
            .isPresent();
    return parting != null && first
        ? new AgentOrders.NoticeOrder(Integer.MAX_VALUE, Kinds.timeouts(state).stopSeconds())
        : null;
  }

  private static @Nullable String stop(RunState state, NodeLife life) {
    return switch (life.state()) {
      case LOST, FAILED, REFUSED -> "this node counts as lost";
      case RELEASED -> "the node is given back";
      case REQUESTED, BOOTING, READY, TRAINING, NOTICED ->
          state.isOver() ? state.phase().reason() : null;
    };
  }
}

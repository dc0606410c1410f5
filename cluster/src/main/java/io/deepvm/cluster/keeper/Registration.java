package io.deepvm.cluster.keeper;

import io.deepvm.cluster.member.Role;

/**
 * What an agent says of its node for as long as it lives.
 *
 * @param host where the node can be reached
 * @param agentPort where the agent listens to the coordinator
 * @param port where its training process listens to others; 0 when it does not say
 * @param ready whether its training process can join a generation
 * @param incarnation counts the training processes that the agent has started
 */
public record Registration(
    String node, Role role, String host, int agentPort, int port, boolean ready, int incarnation) {

  /** Returns the same agent with a training process in this state. */
  public Registration with(int newPort, boolean isReady, int number) {
    return new Registration(node, role, host, agentPort, newPort, isReady, number);
  }
}

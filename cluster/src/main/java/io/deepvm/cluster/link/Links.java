package io.deepvm.cluster.link;

import io.deepvm.cluster.output.PrintedLines;

/**
 * The coordinator's links to the agents of its run. No method blocks. {@link AgentLinks} is the
 * real one; a simulation has its own.
 */
public interface Links extends AutoCloseable {

  /**
   * Sends the node's agent these orders, now or when it connects, and again as a sign of life. They
   * replace orders that were not sent yet.
   */
  void send(String node, AgentOrders orders);

  /** Answers {@link Listener#printed}: the agent sends its next lines. */
  void received(String node, long number);

  /** Connects to an agent that waits for it, and again whenever the connection breaks. */
  void dial(String node, AgentAddress address);

  /** Closes the link to the node and forgets its orders. */
  void forget(String node);

  @Override
  void close();

  /** Receives what agents send. */
  interface Listener {

    /** The agent's newest status; also repeated without a change, as a sign of life. */
    void status(AgentStatus status);

    /**
     * An agent that sent a status before is out of reach. This is reported once, until the agent
     * sends a status again.
     *
     * @param reason a clause without a full stop, like "its connection broke"
     */
    void silent(String node, String reason);

    /**
     * Lines that the node's command printed. They may come again until {@link Links#received}
     * answers them, and no others come before.
     */
    void printed(String node, PrintedLines lines);
  }
}

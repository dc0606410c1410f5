package io.deepvm.cluster;

import java.io.IOException;

/**
 * Where nodes come from. A node is a place where an agent runs; it is known by its name, which is
 * never used twice in a run.
 */
public interface Provider extends AutoCloseable {

  /** The address that the coordinator listens on, so that nodes reach it. */
  String coordinatorHost();

  /** The most nodes it can have at once. */
  int limit();

  /** Makes ready for a run whose files are in the folder, and clears away what dead runs left. */
  void open(RunFolder folder) throws IOException;

  /**
   * Begins to start a node and its agent.
   *
   * @param gone called once when the node is gone, for whatever reason
   * @return what {@link #adopt} finds the node by
   */
  String rent(NodeRequest request, Runnable gone) throws IOException;

  /** Takes over a node that an earlier coordinator rented; false when it is gone. */
  boolean adopt(String node, String handle, Runnable gone) throws IOException;

  /** Whether the node is there, as far as the provider knows. */
  boolean alive(String node);

  /** Takes the node away at once, with everything on it. */
  void end(String node);

  /** Ends everything that is left. */
  @Override
  void close();
}

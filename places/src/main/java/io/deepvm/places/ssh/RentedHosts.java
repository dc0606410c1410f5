package io.deepvm.places.ssh;

import io.deepvm.places.Order;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;

/** Starts nodes on rented machines, and renews their leases while a coordinator lives. */
public interface RentedHosts extends AutoCloseable {

  /** Receives what happens to nodes, on the owner's thread. */
  interface Listener {

    /** The node waits for its coordinator at the address, behind a SOCKS proxy. */
    void reachable(String node, InetSocketAddress address, InetSocketAddress proxy);

    /** The node's process ended, or never started. */
    void ended(String node, String why);
  }

  /**
   * Starts a node, or finds it; tries until it is there or {@link #leave} is called.
   *
   * @param at where ssh reaches the machine, and where other nodes do
   */
  void bring(Order order, At at, Listener listener);

  /**
   * Sets until when leases may be renewed, by node. A node without an entry is neither started nor
   * renewed.
   */
  void renew(Map<String, Long> untilMs);

  /** Addresses of a machine. */
  record At(String ssh, String nodes) {}

  /** Copies the node's logs here, if the machine answers, and leaves it; may block. */
  void fetch(String node) throws IOException;

  /** Leaves a machine alone from now on: its lease runs out. */
  void leave(String node);

  @Override
  void close();
}

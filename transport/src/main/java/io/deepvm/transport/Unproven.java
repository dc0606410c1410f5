package io.deepvm.transport;

import java.net.InetAddress;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Connections from outside whose other side has proven nothing yet. They are few, so that strangers
 * cannot take the room of proven ones. When there are too many, one has to go: the oldest one that
 * is silent, since a friend speaks at once.
 */
final class Unproven {

  static final int MOST = 64;
  static final int MOST_OF_ONE_ADDRESS = 32;

  private final Set<Connection> waiting = new LinkedHashSet<>();

  /** Adds a connection and returns the one that has to go for it; null if there is room. */
  synchronized @Nullable Connection add(Connection connection) {
    InetAddress address = connection.remote().getAddress();
    List<Connection> neighbours =
        waiting.stream().filter(c -> address.equals(c.remote().getAddress())).toList();
    Connection leaving = null;
    if (neighbours.size() >= MOST_OF_ONE_ADDRESS) {
      leaving = first(neighbours);
    } else if (waiting.size() >= MOST) {
      leaving = first(waiting);
    }
    if (leaving != null) {
      waiting.remove(leaving);
    }
    waiting.add(connection);
    return leaving;
  }

  /** Returns the oldest one that has said nothing; if all have spoken, the oldest. */
  private static Connection first(Collection<Connection> connections) {
    return connections.stream()
        .filter(connection -> !connection.hasSpoken())
        .findFirst()
        .orElseGet(() -> connections.iterator().next());
  }

  /** Removes a connection; false if it had to go before. */
  synchronized boolean remove(Connection connection) {
    return waiting.remove(connection);
  }

  synchronized int size() {
    return waiting.size();
  }
}

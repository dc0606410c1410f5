package io.deepvm.trainer.member;

import io.deepvm.cluster.member.Member;
import io.deepvm.transport.Connection;
import io.deepvm.transport.Handler;
import io.deepvm.transport.TransportClient;
import io.deepvm.transport.TransportOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** One open connection to each other member, made when it is needed first. */
final class PeerConnections implements AutoCloseable {

  private final TransportClient client;

  // Guarded by itself.
  private final Map<String, Connection> byNode = new HashMap<>();

  /**
   * Prepares to connect.
   *
   * @param ended receives each connection that has ended
   */
  PeerConnections(TransportOptions options, Consumer<Connection> ended) {
    client =
        new TransportClient(
            new Handler() {
              @Override
              public void closed(Connection connection, String reason) {
                ended.accept(connection);
              }
            },
            options);
  }

  void start() throws IOException {
    client.start();
  }

  /** Closes the connections to all others. */
  void retain(List<Member> members) {
    Set<String> nodes = members.stream().map(Member::node).collect(Collectors.toSet());
    synchronized (byNode) {
      byNode.entrySet().stream()
          .filter(entry -> !nodes.contains(entry.getKey()))
          .forEach(entry -> entry.getValue().close());
      byNode.keySet().retainAll(nodes);
    }
  }

  /** Whether this is the connection to the member, or was. */
  boolean isOf(Member member, Connection connection) {
    synchronized (byNode) {
      return connection.equals(byNode.get(member.node()));
    }
  }

  boolean isOpen(Member member) {
    synchronized (byNode) {
      Connection known = byNode.get(member.node());
      return known != null && known.isOpen();
    }
  }

  /** Returns the open connection to a member, a new one if there is none. */
  Connection to(Member member) throws IOException {
    synchronized (byNode) {
      Connection known = byNode.get(member.node());
      if (known != null && known.isOpen()) {
        return known;
      }
    }
    Connection made = client.connect(new InetSocketAddress(member.host(), member.port()));
    synchronized (byNode) {
      Connection known = byNode.get(member.node());
      if (known != null && known.isOpen()) {
        made.close();
        return known;
      }
      byNode.put(member.node(), made);
      return made;
    }
  }

  @Override
  public void close() {
    client.close();
  }
}

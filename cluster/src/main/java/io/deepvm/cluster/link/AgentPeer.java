package io.deepvm.cluster.link;

import io.deepvm.transport.Connection;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** What the coordinator's side of the links knows of one agent. */
final class AgentPeer {

  private final String node;
  private final Outlet orders;
  private final Outlet receipts;
  private @Nullable Connection connection;
  private boolean heard;
  private boolean silent;
  private long heardNanos;
  private long repeatedNanos;

  AgentPeer(String node, Executor executor, long nowNanos) {
    this.node = node;
    this.orders = new Outlet(executor);
    this.receipts = new Outlet(executor);
    this.repeatedNanos = nowNanos;
  }

  String node() {
    return node;
  }

  void send(AgentOrders next) {
    orders.put(new LinkMessage.Orders(next), new LinkMessage.Alive(next.epoch(), next.version()));
  }

  void received(long number) {
    receipts.put(new LinkMessage.Received(number));
  }

  /** Uses this connection from now on, and returns the one before. */
  @Nullable Connection connected(Connection next) {
    Connection before;
    synchronized (this) {
      before = connection;
      connection = next;
    }
    orders.use(next);
    receipts.use(next);
    return before == next ? null : before;
  }

  /** Whether this was the connection in use; it is not any more. */
  boolean disconnected(Connection broken) {
    synchronized (this) {
      if (connection != broken) {
        return false;
      }
      connection = null;
    }
    orders.drop(broken);
    receipts.drop(broken);
    return true;
  }

  synchronized @Nullable Connection connection() {
    return connection;
  }

  /** Notes that the agent sent a status. */
  synchronized void heard(long nowNanos) {
    heard = true;
    silent = false;
    heardNanos = nowNanos;
  }

  synchronized boolean wasHeard() {
    return heard;
  }

  /** Takes a pause of this whole process out of the agent's silence. */
  synchronized void forgive(long nanos) {
    heardNanos += nanos;
  }

  /** Whether the agent has become silent, which is true once. */
  synchronized boolean fallsSilent(long nowNanos, Duration most) {
    boolean late = heard && !silent && nowNanos - heardNanos > most.toNanos();
    silent |= late;
    return late;
  }

  /** Whether an agent that had no connection for a while has become silent, which is true once. */
  synchronized boolean fallsSilentWithoutConnection() {
    boolean gone = heard && !silent && connection == null;
    silent |= gone;
    return gone;
  }

  /** Sends the orders again if they were not for this long. */
  void repeat(long nowNanos, Duration pause) {
    synchronized (this) {
      if (connection == null || nowNanos - repeatedNanos < pause.toNanos()) {
        return;
      }
      repeatedNanos = nowNanos;
    }
    orders.repeat();
  }

  void close() {
    Connection open = connection();
    if (open != null) {
      boolean unused = disconnected(open);
      open.close();
    }
  }
}

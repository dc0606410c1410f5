package io.deepvm.cluster.link;

import io.deepvm.transport.Connection;
import io.deepvm.transport.Handler;
import io.deepvm.transport.TransportClient;
import io.deepvm.transport.TransportOptions;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Connects to agents that wait for their coordinator, until it succeeds, and again on request. */
final class AgentDialer implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(AgentDialer.class.getName());

  /** Takes over the connections; called by several threads. */
  interface Listener {

    /** Returns the first message to the agent of this node. */
    LinkMessage.Call call(String node);

    /** The connection is there, and the first message is about to be sent. */
    void calling(String node, Connection connection);

    /** The agent has answered that it is the agent of this node. */
    void connected(String node, Connection connection);

    /** The agent's machine is there, and nobody listens at the agent's port. */
    void refused(String node);
  }

  private final TransportClient client;
  private final ScheduledExecutorService timer;
  private final Listener listener;
  private final Map<String, AgentAddress> addresses = new ConcurrentHashMap<>();
  private final ExecutorService callers =
      Executors.newCachedThreadPool(LinkTransport.daemons("link-dialer"));
  private final Set<String> complained = ConcurrentHashMap.newKeySet();
  private boolean started;

  AgentDialer(
      TransportOptions options,
      Handler handler,
      ScheduledExecutorService timer,
      Listener listener) {
    this.client = new TransportClient(handler, options);
    this.timer = timer;
    this.listener = listener;
  }

  /** Connects to the node's agent in the background. */
  void dial(String node, AgentAddress address) {
    synchronized (this) {
      if (!started) {
        started = true;
        client.start();
      }
    }
    if (!address.equals(addresses.put(node, address))) {
      attempt(node, address, LinkTransport.FIRST_RETRY);
    }
  }

  /**
   * Connects again if this side connects to the node's agent.
   *
   * @return whether there is no proxy between the agent and this side
   */
  boolean again(String node) {
    AgentAddress address = addresses.get(node);
    if (address == null) {
      return true;
    }
    attempt(node, address, LinkTransport.FIRST_RETRY);
    return address.proxy() == null;
  }

  void forget(String node) {
    addresses.remove(node);
  }

  @Override
  public void close() {
    addresses.clear();
    callers.shutdownNow();
    client.close();
  }

  private void attempt(String node, AgentAddress address, Duration pause) {
    try {
      callers.execute(() -> connect(node, address, pause));
    } catch (RejectedExecutionException e) {
      // The links are closed.
    }
  }

  private void connect(String node, AgentAddress address, Duration pause) {
    if (!address.equals(addresses.get(node))) {
      return;
    }
    Connection connection = null;
    try {
      connection = client.connect(address.agent(), address.proxy());
      listener.calling(node, connection);
      // An agent of another node, or of another run, refuses the call.
      LinkMessage unused = LinkTransport.ask(connection, listener.call(node));
      listener.connected(node, connection);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | RuntimeException e) {
      if (connection != null) {
        complain(node, e);
        connection.close();
      }
      // Behind a proxy it may be the proxy that nobody listens at.
      if (address.proxy() == null && isRefused(e)) {
        listener.refused(node);
      }
      later(node, address, pause);
    }
  }

  /** Logs the first failure of each node; more would say the same ten times a second. */
  private void complain(String node, Exception why) {
    if (complained.add(node)) {
      LOG.log(
          System.Logger.Level.WARNING, "{0} did not take the call: {1}", node, why.getMessage());
    }
  }

  private void later(String node, AgentAddress address, Duration pause) {
    try {
      var unused =
          timer.schedule(
              () -> attempt(node, address, LinkTransport.longer(pause)),
              pause.toMillis(),
              TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The links are closed.
    }
  }

  /** Whether the machine is there and nobody listens on it. */
  private static boolean isRefused(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof ConnectException
          && String.valueOf(cause.getMessage()).contains("refused")) {
        return true;
      }
    }
    return false;
  }
}

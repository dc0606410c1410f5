package io.deepvm.cluster.link;

import io.deepvm.base.BadInput;
import io.deepvm.base.Watchdog;
import io.deepvm.transport.Connection;
import io.deepvm.transport.Handler;
import io.deepvm.transport.Role;
import io.deepvm.transport.Security;
import io.deepvm.transport.TransportServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The links of a coordinator over the network: one proven and encrypted connection to each agent.
 * Either the agent connects, or it waits and the coordinator connects.
 *
 * <p>An agent is silent after a session without a status. It is silent at once if its connection
 * breaks and it does not come back. A live agent never closes its only connection, so its process
 * has ended. Through a proxy this does not hold, since the proxy may have ended.
 */
public final class AgentLinks implements Links {

  /** The usual time in which an agent comes back after its connection broke. */
  public static final Duration COME_BACK = Duration.ofMillis(150);

  private static final Duration SWEEP = Duration.ofMillis(100);

  /** A sweep that is this late means that this process stood still. */
  private static final Duration PAUSED = Duration.ofMillis(500);

  /**
   * What the links of a run are opened with.
   *
   * @param listen where agents connect; port 0 for any free one
   * @param work what every node of the run does, as text for the agents
   * @param session the longest silence of an agent that lives
   * @param comeBack how long an agent whose connection broke may take to come back
   * @param callbacks runs every call of the listener
   * @param nanoClock a clock that never goes back, in nanoseconds
   */
  public record Options(
      String run,
      InetSocketAddress listen,
      Security security,
      String work,
      Duration session,
      Duration comeBack,
      Executor callbacks,
      LongSupplier nanoClock) {}

  private final Options options;
  private final Listener listener;
  private final Map<String, AgentPeer> peers = new ConcurrentHashMap<>();
  private final Map<Connection, AgentPeer> byConnection = new ConcurrentHashMap<>();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(LinkTransport.daemons("links"));
  private final ExecutorService senders =
      Executors.newFixedThreadPool(2, LinkTransport.daemons("link-sender"));
  private final TransportServer server;
  private final AgentDialer dialer;
  private long sweptNanos;

  private AgentLinks(Options options, Listener listener) {
    this.options = options;
    this.listener = listener;
    Security security = options.security().encrypted().as(Role.COORDINATOR);
    Conversation conversation = new Conversation();
    this.server =
        new TransportServer(options.listen(), conversation, LinkTransport.options(security));
    this.dialer =
        new AgentDialer(
            LinkTransport.options(security.to(Role.WORKER)), conversation, timer, new Dialled());
    this.sweptNanos = options.nanoClock().getAsLong();
  }

  /** Begins to listen for agents. */
  public static AgentLinks open(Options options, Listener listener) throws IOException {
    AgentLinks links = new AgentLinks(options, listener);
    links.server.start();
    new Watchdog("The links could not be swept", links::sweep).every(SWEEP, links.timer);
    return links;
  }

  /** Returns the port where agents connect. */
  public int port() throws IOException {
    return server.address().getPort();
  }

  @Override
  public void send(String node, AgentOrders orders) {
    peer(node).send(orders);
  }

  @Override
  public void received(String node, long number) {
    peer(node).received(number);
  }

  @Override
  public void dial(String node, AgentAddress address) {
    dialer.dial(node, address);
  }

  @Override
  public void forget(String node) {
    dialer.forget(node);
    AgentPeer peer = peers.remove(node);
    if (peer != null) {
      peer.close();
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
    dialer.close();
    server.close();
    senders.shutdownNow();
  }

  private AgentPeer peer(String node) {
    return peers.computeIfAbsent(
        node, name -> new AgentPeer(name, senders, options.nanoClock().getAsLong()));
  }

  private void report(Runnable call) {
    try {
      options.callbacks().execute(call);
    } catch (RejectedExecutionException e) {
      // The run is over.
    }
  }

  /** Answers what agents send. */
  private final class Conversation implements Handler {

    @Override
    public byte[] answer(Connection from, byte[] request) {
      LinkMessage message = LinkMessage.decode(request);
      if (message instanceof LinkMessage.Hello hello) {
        return greet(from, hello).encode();
      }
      AgentPeer peer = byConnection.get(from);
      if (peer == null) {
        throw new BadInput("This connection belongs to no node.", "Maybe connect again.");
      }
      if (message instanceof LinkMessage.Status status) {
        take(peer, status.status());
      } else if (message instanceof LinkMessage.Printed printed) {
        report(() -> listener.printed(peer.node(), printed.lines()));
      } else {
        throw new BadInput("An agent does not send " + message + ".", "Maybe send a status.");
      }
      return LinkTransport.NOTHING;
    }

    @Override
    public void closed(Connection connection, String reason) {
      AgentPeer peer = byConnection.remove(connection);
      if (peer != null && peer.disconnected(connection)) {
        broken(peer);
      }
    }
  }

  private LinkMessage.Welcome greet(Connection from, LinkMessage.Hello hello) {
    LinkMessage.check(hello.protocol(), options.run(), hello.run());
    adopt(from, peer(hello.node()));
    return welcome();
  }

  private LinkMessage.Welcome welcome() {
    return new LinkMessage.Welcome(options.work(), options.session().toMillis());
  }

  /** Uses the connection for the node from now on. */
  private void adopt(Connection connection, AgentPeer peer) {
    byConnection.put(connection, peer);
    Connection before = peer.connected(connection);
    if (before != null) {
      before.close();
    }
    if (!connection.isOpen() && peer.disconnected(connection)) {
      // It ended before it was known, so nobody will say so.
      byConnection.remove(connection);
      broken(peer);
    }
  }

  private void take(AgentPeer peer, AgentStatus status) {
    if (!status.node().equals(peer.node())) {
      throw new BadInput(
          "The connection of %s brought a status of %s.".formatted(peer.node(), status.node()),
          "Maybe two nodes have the same name.");
    }
    peer.heard(options.nanoClock().getAsLong());
    report(() -> listener.status(status));
  }

  private void broken(AgentPeer peer) {
    boolean direct = dialer.again(peer.node());
    if (direct) {
      after(
          options.comeBack(),
          () -> {
            if (peer.fallsSilentWithoutConnection()) {
              silent(peer, "its connection broke and it did not come back");
            }
          });
    }
  }

  private void after(Duration pause, Runnable task) {
    try {
      var unused = timer.schedule(task, pause.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The links are closed.
    }
  }

  private void silent(AgentPeer peer, String reason) {
    if (peers.get(peer.node()) == peer) {
      report(() -> listener.silent(peer.node(), reason));
    }
  }

  /** Reports agents that fell silent, and sends signs of life. */
  private void sweep() {
    long now = options.nanoClock().getAsLong();
    long late = now - sweptNanos - SWEEP.toNanos();
    sweptNanos = now;
    for (AgentPeer peer : peers.values()) {
      if (late > PAUSED.toNanos()) {
        peer.forgive(late);
      }
      if (peer.fallsSilent(now, options.session())) {
        silent(peer, "no status for %s s".formatted(options.session().toMillis() / 1e3));
      }
      peer.repeat(now, LinkTransport.REPEAT);
    }
  }

  /** Takes over connections that this side made. */
  private final class Dialled implements AgentDialer.Listener {

    @Override
    public LinkMessage.Call call(String node) {
      return new LinkMessage.Call(LinkMessage.PROTOCOL, options.run(), node, welcome());
    }

    @Override
    public void calling(String node, Connection connection) {
      // The agent may send its status before its answer to the call is here.
      byConnection.put(connection, peer(node));
    }

    @Override
    public void connected(String node, Connection connection) {
      adopt(connection, peer(node));
    }

    @Override
    public void refused(String node) {
      AgentPeer peer = peers.get(node);
      if (peer != null && peer.fallsSilentWithoutConnection()) {
        silent(peer, "nobody listens at its agent's port");
      }
    }
  }
}

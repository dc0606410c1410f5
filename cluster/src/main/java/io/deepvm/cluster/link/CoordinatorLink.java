package io.deepvm.cluster.link;

import io.deepvm.base.BadInput;
import io.deepvm.base.Watchdog;
import io.deepvm.cluster.output.PrintedLines;
import io.deepvm.transport.Connection;
import io.deepvm.transport.Handler;
import io.deepvm.transport.Role;
import io.deepvm.transport.Security;
import io.deepvm.transport.TransportClient;
import io.deepvm.transport.TransportServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An agent's link to its coordinator, which it connects to or waits for. The newest connection
 * counts. A silent connection stays open until another one is there. Only an agent that ends closes
 * its last connection, and the coordinator relies on that.
 */
public final class CoordinatorLink implements AutoCloseable {

  /** The longest silence of a coordinator that lives, until it says how long. */
  private static final long FIRST_SESSION_MS = 3_000;

  /** Receives what the coordinator sends; called by several threads. */
  public interface Listener {

    /** The coordinator's newest orders; also repeated without a change, as a sign of life. */
    void orders(AgentOrders orders);

    /** The coordinator received the output of this number. */
    void received(long number);
  }

  private final String run;
  private final String node;
  private final LongSupplier nanoClock;
  private final ScheduledExecutorService sender =
      Executors.newSingleThreadScheduledExecutor(LinkTransport.daemons("link-sender"));
  private final Outlet status = new Outlet(sender);
  private final Outlet output = new Outlet(sender);
  private final OrdersInbox inbox = new OrdersInbox();
  private final Conversation conversation = new Conversation();
  private @Nullable TransportClient client;
  private @Nullable TransportServer server;
  private @Nullable Connection connection;
  private LinkMessage.@Nullable Welcome welcome;
  private String problem = "nobody was there";
  private long heardNanos;
  private long printing;
  private boolean closed;

  private CoordinatorLink(String run, String node, LongSupplier nanoClock) {
    this.run = run;
    this.node = node;
    this.nanoClock = nanoClock;
    new Watchdog("link-sender", status::repeat).every(LinkTransport.REPEAT, sender);
  }

  /**
   * Connects to the coordinator in the background, and again whenever the connection is lost.
   *
   * @param nanoClock a clock that never goes back, in nanoseconds
   */
  public static CoordinatorLink dial(
      String run,
      String node,
      InetSocketAddress coordinator,
      Security security,
      LongSupplier nanoClock) {
    CoordinatorLink link = new CoordinatorLink(run, node, nanoClock);
    TransportClient client =
        new TransportClient(
            link.conversation,
            LinkTransport.options(security.encrypted().as(Role.WORKER).to(Role.COORDINATOR)));
    link.client = client;
    client.start();
    LinkTransport.daemons("link-dialer").newThread(() -> link.keep(client, coordinator)).start();
    return link;
  }

  /**
   * Waits at this address for the coordinator to connect.
   *
   * @param nanoClock a clock that never goes back, in nanoseconds
   */
  public static CoordinatorLink listen(
      String run, String node, InetSocketAddress address, Security security, LongSupplier nanoClock)
      throws IOException {
    CoordinatorLink link = new CoordinatorLink(run, node, nanoClock);
    TransportServer server =
        new TransportServer(
            address,
            link.conversation,
            LinkTransport.options(security.encrypted().as(Role.WORKER)));
    link.server = server;
    try {
      server.start();
    } catch (IOException e) {
      link.close();
      throw e;
    }
    return link;
  }

  /** Returns the port where the agent waits for its coordinator. */
  public int port() throws IOException {
    TransportServer waiting = server;
    if (waiting == null) {
      throw new IllegalStateException("The agent connects to its coordinator.");
    }
    return waiting.address().getPort();
  }

  /** Waits for the coordinator's first message, and returns what every node of the run does. */
  public synchronized String awaitWork(Duration patience) throws InterruptedException {
    long deadline = nanoClock.getAsLong() + patience.toNanos();
    while (welcome == null) {
      long left = (deadline - nanoClock.getAsLong()) / 1_000_000;
      if (left <= 0) {
        throw new BadInput(
            "The agent of %s found no coordinator within %d s: %s."
                .formatted(node, patience.toSeconds(), problem),
            "Maybe the coordinator has ended, or its address or token is another.");
      }
      wait(left);
    }
    return welcome.work();
  }

  /** Passes on what the coordinator sends, and what it has sent so far. */
  public void start(Listener to) {
    inbox.start(to);
  }

  /** Sends the status now or when there is a connection, and again as a sign of life. */
  public void send(AgentStatus next) {
    status.put(new LinkMessage.Status(next));
  }

  /** Sends output now or when there is a connection, and again over the next connection. */
  public synchronized void print(PrintedLines lines) {
    printing = lines.number();
    output.put(new LinkMessage.Printed(lines));
  }

  /** Waits until the coordinator has the last status, for this long at most. */
  public void flush(Duration patience) throws InterruptedException {
    status.awaitAnswer(patience.toMillis(), nanoClock);
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    sender.shutdownNow();
    if (client != null) {
      client.close();
    }
    if (server != null) {
      server.close();
    }
  }

  /** Connects whenever there is no connection, or one that brings nothing. */
  private void keep(TransportClient from, InetSocketAddress coordinator) {
    Duration pause = LinkTransport.FIRST_RETRY;
    try {
      while (awaitLoss()) {
        try {
          greet(from.connect(coordinator));
          pause = LinkTransport.FIRST_RETRY;
        } catch (IOException | RuntimeException e) {
          fail(String.valueOf(e.getMessage()));
          Thread.sleep(pause.toMillis());
          pause = LinkTransport.longer(pause);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until a connection is needed; false if the link was closed. */
  private synchronized boolean awaitLoss() throws InterruptedException {
    while (!closed && connection != null && connection.isOpen()) {
      long left = heardNanos + sessionMs() * 1_000_000 - nanoClock.getAsLong();
      if (left <= 0) {
        break;
      }
      wait(left / 1_000_000 + 1);
    }
    return !closed;
  }

  private long sessionMs() {
    return welcome == null ? FIRST_SESSION_MS : welcome.sessionMs();
  }

  private synchronized void fail(String why) {
    problem = why;
  }

  private void greet(Connection fresh) throws IOException, InterruptedException {
    try {
      LinkMessage hello = new LinkMessage.Hello(LinkMessage.PROTOCOL, run, node);
      if (!(LinkTransport.ask(fresh, hello) instanceof LinkMessage.Welcome answered)) {
        throw new IOException("The coordinator did not welcome the agent.");
      }
      adopt(fresh, answered);
    } catch (IOException | RuntimeException e) {
      fresh.close();
      throw e;
    }
  }

  /** Uses the connection from now on. */
  private void adopt(Connection fresh, LinkMessage.Welcome answered) {
    Connection before;
    synchronized (this) {
      before = connection;
      connection = fresh;
      welcome = answered;
      heardNanos = nanoClock.getAsLong();
      notifyAll();
    }
    status.use(fresh);
    output.use(fresh);
    if (before != null && before != fresh) {
      before.close();
    }
  }

  /** Answers what the coordinator sends. */
  private final class Conversation implements Handler {

    @Override
    public byte[] answer(Connection from, byte[] request) {
      LinkMessage message = LinkMessage.decode(request);
      heard();
      if (message instanceof LinkMessage.Call call) {
        return called(from, call).encode();
      } else if (message instanceof LinkMessage.Orders orders) {
        inbox.take(orders.orders());
      } else if (message instanceof LinkMessage.Alive alive) {
        inbox.take(alive);
      } else if (message instanceof LinkMessage.Received received) {
        receipt(received);
      } else {
        throw new BadInput("No coordinator sends " + message + ".", "Maybe send orders.");
      }
      return LinkTransport.NOTHING;
    }

    @Override
    public void closed(Connection ended, String reason) {
      status.drop(ended);
      output.drop(ended);
      synchronized (CoordinatorLink.this) {
        CoordinatorLink.this.notifyAll();
      }
    }
  }

  private synchronized void heard() {
    heardNanos = nanoClock.getAsLong();
  }

  private LinkMessage.Hello called(Connection from, LinkMessage.Call call) {
    LinkMessage.check(call.protocol(), run, call.run());
    if (!call.node().equals(node)) {
      throw new BadInput(
          "This is the agent of %s, and the call is for %s.".formatted(node, call.node()),
          "Maybe the address is that of another node.");
    }
    adopt(from, call.welcome());
    return new LinkMessage.Hello(LinkMessage.PROTOCOL, run, node);
  }

  /** Does not send output again that was received; a late receipt is not for the next. */
  private void receipt(LinkMessage.Received received) {
    synchronized (this) {
      if (received.number() == printing) {
        output.clear();
      }
    }
    inbox.take(received);
  }
}

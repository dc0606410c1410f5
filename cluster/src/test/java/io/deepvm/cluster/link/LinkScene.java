package io.deepvm.cluster.link;

import io.deepvm.cluster.output.LogRanks;
import io.deepvm.cluster.output.PrintedLine;
import io.deepvm.cluster.output.PrintedLines;
import io.deepvm.transport.Security;
import io.deepvm.transport.Token;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** Both sides of links, with what they received. */
public final class LinkScene {

  public static final String RUN = "run-1";
  public static final String WORK = "{\"command\":[\"train\"]}";
  public static final Duration SESSION = Duration.ofSeconds(1);
  public static final Duration PATIENCE = Duration.ofSeconds(20);
  public static final Security SECURITY = Security.of(Token.of("0123456789abcdef0123456789abcdef"));

  private LinkScene() {}

  public static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  static AgentLinks links(int port, Links.Listener listener) throws IOException {
    return links(port, SECURITY, listener);
  }

  static AgentLinks links(int port, Security security, Links.Listener listener) throws IOException {
    return links(port, security, AgentLinks.COME_BACK, listener);
  }

  /** Opens links that wait this long for an agent whose connection broke. */
  static AgentLinks patientLinks(Links.Listener listener) throws IOException {
    return links(0, SECURITY, PATIENCE, listener);
  }

  private static AgentLinks links(
      int port, Security security, Duration comeBack, Links.Listener listener) throws IOException {
    return AgentLinks.open(
        new AgentLinks.Options(
            RUN,
            loopback(port),
            security,
            WORK,
            SESSION,
            comeBack,
            Runnable::run,
            System::nanoTime),
        listener);
  }

  static CoordinatorLink dial(String node, InetSocketAddress coordinator, Agent agent) {
    CoordinatorLink link = CoordinatorLink.dial(RUN, node, coordinator, SECURITY, System::nanoTime);
    link.start(agent);
    link.send(status(node, 1));
    return link;
  }

  static AgentStatus status(String node, long version) {
    return new AgentStatus(
        node,
        version,
        "127.0.0.1",
        new AgentStatus.TrainingProcess(1, true, 4000, null),
        new AgentStatus.Barrier(0, 0, 0, 0, null, null),
        new AgentStatus.Work(null, List.of(), null, 0),
        null);
  }

  static AgentOrders orders(long epoch, long version) {
    return new AgentOrders(
        epoch, version, null, new AgentOrders.ProcessOrders(1, 0, ""), null, null, LogRanks.ALL);
  }

  static PrintedLines lines(long number) {
    return new PrintedLines(
        number, 0, List.of(new PrintedLine(0, PrintedLine.Pipe.OUT, "line " + number)));
  }

  /** Remembers what the coordinator's side received. */
  public static class Coordinator implements Links.Listener {

    private final List<AgentStatus> statuses = new ArrayList<>();
    private final List<String> silent = new ArrayList<>();
    private final List<PrintedLines> printed = new ArrayList<>();

    @Override
    public synchronized void status(AgentStatus status) {
      statuses.add(status);
      notifyAll();
    }

    @Override
    public synchronized void silent(String node, String reason) {
      silent.add(node + ": " + reason);
      notifyAll();
    }

    @Override
    public synchronized void printed(String node, PrintedLines lines) {
      printed.add(lines);
      notifyAll();
    }

    public synchronized List<String> silent() {
      return List.copyOf(silent);
    }

    public synchronized List<PrintedLines> printed() {
      return List.copyOf(printed);
    }

    public synchronized List<AgentStatus> statuses() {
      return List.copyOf(statuses);
    }

    public synchronized void forget() {
      statuses.clear();
    }

    /** Waits for this many statuses. */
    void awaitStatuses(int count) throws InterruptedException {
      await(this, count + " statuses", () -> statuses.size() >= count);
    }

    /** Waits for a status of the node that is no older than this. */
    public void awaitStatus(String node, long version) throws InterruptedException {
      await(
          this,
          "status %d of %s".formatted(version, node),
          () -> statuses.stream().anyMatch(s -> s.node().equals(node) && s.version() >= version));
    }

    /** Waits for a status of which this holds, and returns it. */
    public AgentStatus awaitStatus(String what, Predicate<AgentStatus> which)
        throws InterruptedException {
      await(this, what, () -> statuses.stream().anyMatch(which));
      return statuses().stream().filter(which).findFirst().orElseThrow();
    }

    /** Waits until any agent was reported silent, and returns which and why. */
    public String awaitSilent() throws InterruptedException {
      await(this, "silence", () -> !silent.isEmpty());
      return silent().get(0);
    }

    /** Waits for this many lines of output. */
    public void awaitLines(int count) throws InterruptedException {
      await(
          this,
          count + " lines",
          () -> printed.stream().mapToInt(part -> part.lines().size()).sum() >= count);
    }

    public void awaitPrinted(int count) throws InterruptedException {
      await(this, "output", () -> printed.size() >= count);
    }
  }

  /** Remembers what the agent's side received. */
  public static final class Agent implements CoordinatorLink.Listener {

    private final List<AgentOrders> orders = new ArrayList<>();
    private final List<Long> received = new ArrayList<>();

    @Override
    public synchronized void orders(AgentOrders next) {
      orders.add(next);
      notifyAll();
    }

    @Override
    public synchronized void received(long number) {
      received.add(number);
      notifyAll();
    }

    synchronized List<AgentOrders> all() {
      return List.copyOf(orders);
    }

    synchronized void forget() {
      orders.clear();
    }

    void awaitOrders(AgentOrders wanted) throws InterruptedException {
      await(this, "orders " + wanted, () -> orders.contains(wanted));
    }

    void awaitOrders(int count) throws InterruptedException {
      await(this, count + " orders", () -> orders.size() >= count);
    }

    void awaitReceived(long number) throws InterruptedException {
      await(this, "receipt " + number, () -> received.contains(number));
    }
  }

  private static void await(Object lock, String what, BooleanSupplier there)
      throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    synchronized (lock) {
      while (!there.getAsBoolean()) {
        long left = (deadline - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          throw new AssertionError("This did not come in time: " + what);
        }
        lock.wait(left);
      }
    }
  }
}

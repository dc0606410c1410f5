package io.deepvm.places.ssh;

import io.deepvm.places.Order;
import io.deepvm.places.OrderPoints;
import io.deepvm.places.Timers;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Reaches rented machines by the system's ssh. Each has one node, which gives it its name. */
public final class SshRentedHosts implements RentedHosts {

  private static final long AGAIN_MICROS = 2_000_000;

  /** A machine that cannot be reached for longer does not boot. */
  private static final long UNREACHED_MS = 480_000;

  /** A machine that answers has its keys and folders by then. */
  private static final long BOOT_MS = 120_000;

  /** Says how to log in to a machine. */
  @FunctionalInterface
  public interface Logins {
    SshHost of(Order order, At at) throws IOException;
  }

  private final SshHosts hosts;
  private final NodesOfRun nodes;
  private final SshSettings settings;
  private final Timers timers;
  private final Clock clock;
  private final Logins logins;
  private volatile Map<String, Long> renewUntilMs = Map.of();
  private final Set<String> left = ConcurrentHashMap.newKeySet();
  private final Map<String, Long> troubledMs = new HashMap<>();
  private final Map<String, NodeWatch> watches = new HashMap<>();
  private boolean closed;

  private SshRentedHosts(SshHosts hosts, Path folder, SshSettings settings, Parts parts) {
    this.hosts = hosts;
    this.nodes = new NodesOfRun(folder, hosts);
    this.settings = settings;
    this.timers = parts.timers();
    this.clock = parts.clock();
    this.logins = parts.logins();
  }

  /** What the owner gives. */
  public record Parts(Timers timers, Clock clock, Logins logins) {}

  /**
   * Prepares to reach machines of the run whose files are in the folder.
   *
   * @param settings without hosts
   */
  public static SshRentedHosts of(Path folder, SshSettings settings, Parts parts)
      throws IOException {
    return new SshRentedHosts(SshHosts.of(settings), folder, settings, parts);
  }

  @Override
  public void bring(Order order, At at, Listener listener) {
    if (closed || left.contains(order.node())) {
      return;
    }
    String node = order.node();
    if (!mayRenew(node)) {
      // A start is a first lease.
      timers.after(AGAIN_MICROS, () -> bring(order, at, listener));
      return;
    }
    timers.aside(
        () -> {
          try {
            hosts.add(logins.of(order, at));
            NodeOnHost found = nodes.start(order, node, true, OrderPoints.NONE).found();
            timers.after(0, () -> started(order, found, listener));
          } catch (IOException e) {
            timers.after(0, () -> unstarted(order, at, e, listener));
          }
        });
  }

  /** The machine still boots, or the connection broke, or it can never be used. */
  private void unstarted(Order order, At at, IOException why, Listener listener) {
    String node = order.node();
    if (closed || left.contains(node)) {
      return;
    }
    HostProblem.Kind kind =
        why instanceof HostProblem problem ? problem.kind() : HostProblem.Kind.PASSING;
    String trouble = node + " " + kind;
    long since = troubledMs.computeIfAbsent(trouble, any -> clock.millis());
    long patience =
        switch (kind) {
          case PASSING -> UNREACHED_MS;
          case OF_BOOT -> BOOT_MS;
          case LASTING -> 0;
        };
    if (clock.millis() - since >= patience) {
      listener.ended(node, "it cannot be used: " + why.getMessage());
    } else {
      timers.after(AGAIN_MICROS, () -> bring(order, at, listener));
    }
  }

  @Override
  public void renew(Map<String, Long> untilMs) {
    renewUntilMs = Map.copyOf(untilMs);
  }

  private boolean mayRenew(String node) {
    return !left.contains(node) && clock.millis() < renewUntilMs.getOrDefault(node, 0L);
  }

  private void started(Order order, NodeOnHost found, Listener listener) {
    String node = order.node();
    if (closed || left.contains(node)) {
      return;
    }
    switch (found.kind()) {
      case LIVES -> watch(node, listener);
      case ENDED, NOBODY -> listener.ended(node, "its process ended");
      case BUSY, FAILED, NONE -> listener.ended(node, "it did not start: " + found.detail());
    }
  }

  private void watch(String node, Listener listener) {
    HostLink link = nodes.link(node);
    NodeWatch watch =
        new NodeWatch(
            link, settings.leaseSeconds(), () -> mayRenew(node), new Reports(node, link, listener));
    watches.put(node, watch);
    watch.follow(node);
  }

  /** Takes the reports of a machine to the owner's thread. */
  private final class Reports implements NodeWatch.Listener {
    private final String name;
    private final HostLink link;
    private final Listener listener;
    private InetSocketAddress reported = InetSocketAddress.createUnresolved("", 0);

    Reports(String name, HostLink link, Listener listener) {
      this.name = name;
      this.link = link;
      this.listener = listener;
    }

    @Override
    public void lives(String node, int port) {
      InetSocketAddress proxy = link.proxy();
      if (port > 0 && proxy != null && !proxy.equals(reported)) {
        try {
          InetSocketAddress address = new InetSocketAddress(link.address(), port);
          reported = proxy;
          tell(() -> listener.reachable(name, address, proxy));
        } catch (IOException e) {
          // The connection just broke; the next look reports again.
        }
      }
    }

    @Override
    public void ended(String node) {
      tell(() -> listener.ended(name, "its process ended"));
    }

    @Override
    public void expired(String node) {
      tell(() -> listener.ended(name, "it was out of reach for longer than its lease"));
    }

    private void tell(Runnable task) {
      timers.after(
          0,
          () -> {
            if (!closed && !left.contains(name)) {
              task.run();
            }
          });
    }
  }

  @Override
  public void fetch(String node) throws IOException {
    HostLink link = hosts.link(node);
    if (link != null && link.proxy() != null) {
      boolean unused = nodes.end(node);
    }
  }

  @Override
  public void leave(String node) {
    left.add(node);
    NodeWatch watch = watches.remove(node);
    if (watch != null) {
      watch.close();
    }
  }

  @Override
  public void close() {
    closed = true;
    watches.values().forEach(NodeWatch::close);
    hosts.close();
  }
}

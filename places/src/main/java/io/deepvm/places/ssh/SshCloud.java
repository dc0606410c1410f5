package io.deepvm.places.ssh;

import io.deepvm.market.Pool;
import io.deepvm.places.Cloud;
import io.deepvm.places.FreeMarket;
import io.deepvm.places.MarketView;
import io.deepvm.places.News;
import io.deepvm.places.Order;
import io.deepvm.places.OrderPoints;
import io.deepvm.places.Tenancy;
import io.deepvm.places.Timers;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Nodes on machines that ssh reaches, one a host. A node outlives a lost connection and its
 * coordinator for as long as its lease lasts, and then ends itself.
 */
public final class SshCloud implements Cloud {

  private static final String LOOPBACK = "127.0.0.1";

  /** The wait before a node is ordered again that found no free host. */
  private static final double FULL_SECONDS = 2;

  /** For this long no node is started on a host that could not start one. */
  private static final double REST_SECONDS = 20;

  private static final long RETRY_MICROS = 1_000_000;
  private static final long OFFER_MICROS = 10_000_000;

  /** Where a node is in its life. */
  private sealed interface Life {

    /** The host that the node occupies. */
    String host();

    /**
     * Nobody knows yet whether it lives.
     *
     * @param end why it should end as soon as that is known; null if it should not
     */
    record Starting(String host, @Nullable String end) implements Life {}

    record Running(String host, String handle) implements Life {}

    /**
     * It must end.
     *
     * @param asking whether the host is being asked right now
     */
    record Ending(String host, String reason, boolean asking) implements Life {}

    record Over(String host, News.Gone gone) implements Life {}
  }

  private final SshHosts hosts;
  private final List<Pool> pools;
  private final Timers timers;
  private final Clock clock;
  private final OrderPoints points;
  private final FreeMarket market;
  private final Map<String, Life> lives = new HashMap<>();
  private final Map<String, NodeWatch> watches = new HashMap<>();
  private final Map<String, Long> restUntilMs = new HashMap<>();
  private final Map<String, InetSocketAddress> reported = new HashMap<>();
  private @Nullable NodesOfRun nodes;
  private @Nullable Consumer<News> news;

  /** Creates a cloud for one run, which closes the hosts' connections at its end. */
  public SshCloud(SshHosts hosts, List<Pool> pools, Timers timers, Clock clock) {
    this(hosts, pools, timers, clock, OrderPoints.NONE);
  }

  /** Creates a cloud whose coordinator a test may end at a point of an order. */
  public SshCloud(
      SshHosts hosts, List<Pool> pools, Timers timers, Clock clock, OrderPoints points) {
    this.hosts = hosts;
    this.pools = List.copyOf(pools);
    this.timers = timers;
    this.clock = clock;
    this.points = points;
    Map<String, Integer> counts = hosts.counts();
    this.market =
        new FreeMarket(
            this.pools, pool -> counts.getOrDefault(this.pools.get(pool).instanceType(), 0), clock);
  }

  @Override
  public String name() {
    return "ssh";
  }

  @Override
  public int limit() {
    return hosts.settings().hosts().size();
  }

  @Override
  public String prepare(Path folder) {
    nodes = new NodesOfRun(folder, hosts);
    // The coordinator connects to the nodes, so nobody but this machine reaches its port.
    return LOOPBACK;
  }

  @Override
  public boolean isHere() {
    return false;
  }

  @Override
  public MarketView market() {
    return market;
  }

  @Override
  public void open(Tenancy tenancy, Consumer<News> listener) throws IOException {
    news = listener;
    market.begin(tenancy.marketMs());
    for (Tenancy.Held held : tenancy.held()) {
      String node = held.order().node();
      String host = nodes().ledger().host(node);
      if (host == null && held.handle() == null) {
        order(held.order());
      } else if (host == null || hosts.link(host) == null) {
        String why = "its host is not in the hosts file any more; it ends with its lease";
        over("", new News.Gone(node, News.Cause.FAILED, why));
      } else {
        start(held.order(), host, held.handle() == null);
      }
    }
    offer();
  }

  /** Lets the owner order again at intervals: a host may be back. */
  private void offer() {
    if (news != null) {
      report(new News.MarketRead());
      timers.after(OFFER_MICROS, this::offer);
    }
  }

  // --- Orders ---

  @Override
  public void order(Order order) {
    String node = order.node();
    Life life = lives.get(node);
    if (life == null) {
      String host = freeHost(pools.get(order.pool()).instanceType());
      if (host == null) {
        String why = "no host of the type %s is free".formatted(type(order));
        report(new News.Refused(node, News.Refusal.CAPACITY, why, FULL_SECONDS));
      } else {
        start(order, host, true);
      }
    } else if (life instanceof Life.Running running) {
      report(new News.Granted(node, running.handle()));
    } else if (life instanceof Life.Over over) {
      report(over.gone());
    }
    // Else the answer is on its way.
  }

  private String type(Order order) {
    return pools.get(order.pool()).instanceType();
  }

  private @Nullable String freeHost(String type) {
    return hosts.settings().hosts().stream()
        .filter(host -> host.type().equals(type))
        .map(SshHost::name)
        .filter(host -> restUntilMs.getOrDefault(host, 0L) <= clock.millis())
        .filter(
            host ->
                lives.values().stream()
                    .noneMatch(life -> !(life instanceof Life.Over) && life.host().equals(host)))
        .findFirst()
        .orElse(null);
  }

  /**
   * Starts the node, or finds it where it was started before.
   *
   * @param fresh whether it may be started if it is not there
   */
  private void start(Order order, String host, boolean fresh) {
    lives.put(order.node(), new Life.Starting(host, null));
    attempt(order, host, fresh, clock.millis());
  }

  private void attempt(Order order, String host, boolean fresh, long sinceMs) {
    NodesOfRun own = nodes();
    timers.aside(
        () -> {
          try {
            NodesOfRun.Started started = own.start(order, host, fresh, points);
            timers.after(0, () -> started(order.node(), started));
          } catch (HostProblem e) {
            timers.after(0, () -> unstarted(order.node(), host, e));
          } catch (IOException e) {
            // It may have started, so only its lease says when it is gone for certain.
            timers.after(RETRY_MICROS, () -> again(order, host, fresh, sinceMs));
          }
        });
  }

  private void again(Order order, String host, boolean fresh, long sinceMs) {
    if (news == null || !(lives.get(order.node()) instanceof Life.Starting starting)) {
      return;
    }
    double silent = (clock.millis() - sinceMs) / 1e3;
    if (silent > 2 * hosts.settings().leaseSeconds()) {
      String why = "its host was out of reach for longer than its lease";
      News.Cause cause = starting.end() == null ? News.Cause.FAILED : News.Cause.ENDED;
      over(host, new News.Gone(order.node(), cause, why));
    } else {
      attempt(order, host, fresh, sinceMs);
    }
  }

  private void started(String node, NodesOfRun.Started started) {
    String end = lives.get(node) instanceof Life.Starting starting ? starting.end() : null;
    NodeOnHost found = started.found();
    String host = started.host();
    switch (found.kind()) {
      case LIVES -> {
        if (end == null) {
          running(node, host, found.detail());
        } else {
          kill(node, host, end);
        }
      }
      case ENDED -> depart(node, host, News.Cause.FAILED, "its process ended");
      case NOBODY -> over(host, new News.Gone(node, News.Cause.ENDED, end));
      case NONE -> {
        String why = "its host knows nothing of it";
        over(host, new News.Gone(node, News.Cause.FAILED, why));
      }
      case BUSY -> refuse(node, host, end, News.Refusal.CAPACITY, "busy with " + found.detail());
      case FAILED -> refuse(node, host, end, News.Refusal.BROKEN, found.detail());
    }
  }

  private void unstarted(String node, String host, HostProblem problem) {
    String end = lives.get(node) instanceof Life.Starting starting ? starting.end() : null;
    refuse(node, host, end, News.Refusal.BROKEN, String.valueOf(problem.getMessage()));
  }

  /** No process of the node exists, and none will. */
  private void refuse(
      String node, String host, @Nullable String end, News.Refusal why, String reason) {
    restUntilMs.put(host, clock.millis() + Math.round(1000 * REST_SECONDS));
    if (end != null) {
      over(host, new News.Gone(node, News.Cause.ENDED, end));
      return;
    }
    lives.remove(node);
    report(new News.Refused(node, why, host + ": " + reason, FULL_SECONDS));
  }

  private void running(String node, String host, String process) {
    String handle = host + " " + process;
    lives.put(node, new Life.Running(host, handle));
    report(new News.Granted(node, handle));
    watches.computeIfAbsent(host, this::watch).follow(node);
  }

  private NodeWatch watch(String host) {
    HostLink link = nodes().link(host);
    return new NodeWatch(
        link, hosts.settings().leaseSeconds(), () -> true, new Reports(link, host));
  }

  /** Takes the reports of a host to the owner's thread. */
  private final class Reports implements NodeWatch.Listener {
    private final HostLink link;
    private final String host;

    Reports(HostLink link, String host) {
      this.link = link;
      this.host = host;
    }

    @Override
    public void lives(String node, int port) {
      InetSocketAddress proxy = link.proxy();
      if (port > 0 && proxy != null) {
        try {
          InetSocketAddress address = new InetSocketAddress(link.address(), port);
          timers.after(0, () -> reachable(node, address, proxy));
        } catch (IOException e) {
          // The connection just broke; the next look reports again.
        }
      }
    }

    @Override
    public void ended(String node) {
      timers.after(0, () -> endedByItself(node, host, "its process ended"));
    }

    @Override
    public void expired(String node) {
      String why = "its host was out of reach for longer than its lease";
      timers.after(0, () -> lost(node, host, why));
    }
  }

  private void reachable(String node, InetSocketAddress address, InetSocketAddress proxy) {
    if (lives.get(node) instanceof Life.Running && !proxy.equals(reported.put(node, proxy))) {
      report(new News.Reachable(node, address, proxy));
    }
  }

  private void endedByItself(String node, String host, String why) {
    if (lives.get(node) instanceof Life.Running) {
      depart(node, host, News.Cause.FAILED, why);
    }
  }

  private void lost(String node, String host, String why) {
    Life life = lives.get(node);
    if (life instanceof Life.Running) {
      over(host, new News.Gone(node, News.Cause.FAILED, why));
    } else if (life instanceof Life.Ending ending) {
      over(host, new News.Gone(node, News.Cause.ENDED, ending.reason()));
    }
  }

  // --- Ends ---

  @Override
  public void end(String node, String reason) {
    Life life = lives.get(node);
    if (life instanceof Life.Starting starting) {
      lives.put(node, new Life.Starting(starting.host(), reason));
    } else if (life instanceof Life.Running running) {
      kill(node, running.host(), reason);
    } else if (life instanceof Life.Ending ending) {
      if (!ending.asking()) {
        kill(node, ending.host(), ending.reason());
      }
    } else if (life instanceof Life.Over over) {
      report(over.gone());
    } else {
      kill(node, "", reason);
    }
  }

  private void kill(String node, String host, String reason) {
    lives.put(node, new Life.Ending(host, reason, true));
    NodesOfRun own = nodes();
    timers.aside(
        () -> {
          boolean gone = false;
          try {
            gone = own.end(node);
          } catch (IOException e) {
            // Nothing confirms the end, so the owner asks again.
          }
          boolean confirmed = gone;
          timers.after(0, () -> asked(node, host, reason, confirmed));
        });
  }

  private void asked(String node, String host, String reason, boolean gone) {
    if (!(lives.get(node) instanceof Life.Ending)) {
      return;
    }
    if (gone) {
      over(host, new News.Gone(node, News.Cause.ENDED, reason));
    } else {
      lives.put(node, new Life.Ending(host, reason, false));
    }
  }

  /** The node's process has ended; what it left behind is ended, and its logs are fetched. */
  private void depart(String node, String host, News.Cause cause, String why) {
    lives.put(node, new Life.Ending(host, why, true));
    NodesOfRun own = nodes();
    timers.aside(
        () -> {
          try {
            own.end(node);
          } catch (IOException e) {
            // The host's own guard ends what is left.
          }
          timers.after(0, () -> over(host, new News.Gone(node, cause, why)));
        });
  }

  private void over(String host, News.Gone gone) {
    lives.put(gone.node(), new Life.Over(host, gone));
    NodeWatch watch = watches.get(host);
    if (watch != null) {
      watch.leave(gone.node());
    }
    reported.remove(gone.node());
    report(gone);
  }

  // --- The rest ---

  private NodesOfRun nodes() {
    if (nodes == null) {
      throw new IllegalStateException("The cloud is not prepared.");
    }
    return nodes;
  }

  private void report(News fact) {
    timers.after(
        0,
        () -> {
          Consumer<News> listener = news;
          if (listener != null) {
            listener.accept(fact);
          }
        });
  }

  @Override
  public void close() {
    news = null;
    watches.values().forEach(NodeWatch::close);
    if (nodes != null && lives.values().stream().allMatch(Life.Over.class::isInstance)) {
      nodes.clear();
    }
    hosts.close();
  }
}

package io.deepvm.cluster.simulation;

import io.deepvm.catalog.Place;
import io.deepvm.cluster.agent.AgentInput;
import io.deepvm.cluster.log.Event;
import io.deepvm.market.Pool;
import io.deepvm.places.Cloud;
import io.deepvm.places.MarketView;
import io.deepvm.places.News;
import io.deepvm.places.Order;
import io.deepvm.places.Tenancy;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A cloud that refuses, lags, loses and repeats its answers, and takes machines with and without
 * notice. Its machines outlive the coordinators that rent them.
 */
final class SimCloud {

  static final List<Pool> POOLS =
      List.of(
          new Pool(new Place("sim", "here", "here-0"), "small"),
          new Pool(new Place("sim", "here", "here-1"), "small"));

  private static final long TICK_MS = 10_000;

  private final Scheduler scheduler;
  private final Scheduler.Life world;
  private final Chance chance;
  private final Faults faults;
  private final SimDisk disk;
  private final Function<String, SimNode> machines;
  private final long startMs;

  /** Every machine that exists, with its agent; null while the machine boots. */
  private final Map<String, SimNode> existing = new LinkedHashMap<>();

  private final Set<String> ordered = new LinkedHashSet<>();
  private final Set<String> ending = new LinkedHashSet<>();
  private final Map<String, News.Cause> goneBecause = new LinkedHashMap<>();
  private final Map<String, Lifetime> lifetimes = new LinkedHashMap<>();
  private boolean closed;
  private Handle newest;

  /**
   * What the cloud's own meter has of a machine.
   *
   * @param toMs {@link Long#MAX_VALUE} while it exists
   */
  record Lifetime(long fromMs, long toMs) {}

  SimCloud(
      Scheduler scheduler,
      Scheduler.Life world,
      long seed,
      Faults faults,
      SimDisk disk,
      Function<String, SimNode> machines) {
    this.scheduler = scheduler;
    this.world = world;
    this.chance = new Chance(seed, "cloud");
    this.faults = faults;
    this.disk = disk;
    this.machines = machines;
    this.startMs = scheduler.nowMs();
    scheduler.afterMs(world, TICK_MS, this::tick);
  }

  Set<String> existing() {
    return existing.keySet();
  }

  /** Returns the lifetime of each machine that ever existed, in the market's time. */
  Map<String, Lifetime> lifetimes() {
    return lifetimes;
  }

  private long marketMs() {
    return scheduler.nowMs() - startMs;
  }

  private void ended(String node) {
    lifetimes.computeIfPresent(node, (name, l) -> new Lifetime(l.fromMs(), marketMs()));
  }

  private void tick() {
    for (String node : List.copyOf(existing.keySet())) {
      if (faults.happens(chance, faults.taken)) {
        take(node);
      } else if (faults.happens(chance, faults.agentDies)) {
        destroy(node, News.Cause.FAILED);
      } else if (existing.get(node) != null && faults.happens(chance, faults.agentFreezes)) {
        // The machine stays and costs money; only its agent says nothing any more.
        existing.get(node).freeze();
      } else if (existing.get(node) != null && faults.happens(chance, faults.machineNoticed)) {
        notice(existing.get(node));
      }
    }
    if (!faults.isOver() && marketMs() >= faults.closedMs) {
      closed = true;
      tell(new News.Closed("the market ends here"), false);
    }
    tell(new News.Priced(chance.below(2), 100_000 + chance.below(10)), false);
    tell(new News.MarketRead(), false);
    scheduler.afterMs(world, TICK_MS, this::tick);
  }

  /** The machine itself gets a notice, which comes true or is withdrawn. */
  private void notice(SimNode machine) {
    double lead = 1 + chance.below(20);
    int way = chance.below(3);
    AgentInput.Certainty certainty =
        way == 0 ? AgentInput.Certainty.HINT : AgentInput.Certainty.CERTAIN;
    machine.noticed(lead, certainty);
    scheduler.afterMs(
        world,
        Math.round(1000 * lead),
        () -> {
          if (way == 1) {
            machine.withdrawn();
          } else if (way == 2) {
            destroy(machine.name, News.Cause.TAKEN);
          }
        });
  }

  /** Whether the cloud has said that it never gives another node. */
  boolean isClosed() {
    return closed;
  }

  private void take(String node) {
    int way = chance.below(4);
    if (way == 0) {
      destroy(node, News.Cause.TAKEN);
      return;
    }
    double lead = 1 + chance.below(20);
    tell(new News.Noticed(node, lead, "the market will take it"), true);
    scheduler.afterMs(
        world,
        Math.round(1000 * lead),
        () -> {
          if (way == 1) {
            tell(new News.Spared(node), true);
          } else {
            destroy(node, News.Cause.TAKEN);
          }
        });
  }

  private void destroy(String node, News.Cause cause) {
    if (existing.containsKey(node)) {
      SimNode machine = existing.remove(node);
      ended(node);
      goneBecause.put(node, cause);
      if (machine != null) {
        machine.kill();
      }
      tell(new News.Gone(node, cause, null), true);
    }
  }

  /** The agent ended by itself, and with it the machine. */
  void left(String node) {
    if (existing.containsKey(node)) {
      existing.remove(node);
      ended(node);
      goneBecause.putIfAbsent(node, News.Cause.FAILED);
      tell(new News.Gone(node, goneBecause.get(node), null), true);
    }
  }

  /** Reports news to the newest coordinator, late, twice or never. */
  private void tell(News news, boolean mayFail) {
    Handle to = newest;
    if (to == null || (mayFail && faults.happens(chance, faults.replyLost))) {
      // A repeated request is answered again; the end of a machine is found by looking.
      if (to != null && news instanceof News.Gone) {
        scheduler.afterMs(world, 15_000, () -> tell(news, false));
      }
      return;
    }
    long delay = faults.happens(chance, faults.slow) ? chance.between(0, 8_000) : chance.below(30);
    scheduler.afterMs(to.process, delay, () -> to.news.accept(news));
    if (faults.happens(chance, faults.staleNews)) {
      scheduler.afterMs(to.process, delay + chance.below(5_000), () -> to.news.accept(news));
    }
  }

  /** Opens the cloud for a coordinator's process. */
  Cloud open(Scheduler.Life process, Runnable acts, Runnable mayDie) {
    newest = new Handle(process, acts, mayDie);
    return newest;
  }

  private final class Handle implements Cloud {

    private final Scheduler.Life process;
    private final Runnable acts;
    private final Runnable mayDie;
    private Consumer<News> news = unused -> {};

    Handle(Scheduler.Life process, Runnable acts, Runnable mayDie) {
      this.process = process;
      this.acts = acts;
      this.mayDie = mayDie;
    }

    @Override
    public String name() {
      return "simulated";
    }

    @Override
    public int limit() {
      return 12;
    }

    @Override
    public String prepare(Path folder) {
      return "127.0.0.1";
    }

    @Override
    public MarketView market() {
      return new SimMarket(SimCloud.this::marketMs, TICK_MS / 1000.0);
    }

    @Override
    public void open(Tenancy tenancy, Consumer<News> listener) {
      news = listener;
      for (Tenancy.Held held : tenancy.held()) {
        if (held.handle() == null) {
          order(held.order());
        } else if (existing.containsKey(held.order().node())) {
          tell(new News.Granted(held.order().node(), held.handle()), true);
          if (existing.get(held.order().node()) != null) {
            reachable(held.order().node());
          }
        } else {
          tell(gone(held.order().node()), true);
        }
      }
    }

    @Override
    public void order(Order order) {
      acts.run();
      if (process.isDead()) {
        return;
      }
      String node = order.node();
      if (!disk.isSynced(l -> l.event() instanceof Event.Rented r && r.node().equals(node))) {
        throw new AssertionError("The order of %s is not in the ledger.".formatted(node));
      }
      arrive(() -> ordered(order));
      mayDie.run();
    }

    @Override
    public void end(String node, String reason) {
      acts.run();
      if (!process.isDead()) {
        arrive(() -> ends(node));
        mayDie.run();
      }
    }

    /** Carries a request, which arrives even if its sender has died meanwhile. */
    private void arrive(Runnable request) {
      if (!faults.happens(chance, faults.requestLost)) {
        long ms = faults.happens(chance, faults.slow) ? chance.between(0, 8_000) : chance.below(20);
        scheduler.afterMs(world, ms, request);
      }
    }

    @Override
    public void close() {}
  }

  private News.Gone gone(String node) {
    return new News.Gone(node, goneBecause.getOrDefault(node, News.Cause.ENDED), null);
  }

  private void ordered(Order order) {
    String node = order.node();
    if (ordered.contains(order.token())) {
      tell(existing.containsKey(node) ? new News.Granted(node, "m-" + node) : gone(node), true);
    } else if (order.pool() >= faults.deniedFrom && marketMs() >= faults.deniedMs) {
      tell(new News.Refused(node, News.Refusal.DENIED, "no permission", 0), true);
    } else if (faults.happens(chance, faults.refused)) {
      tell(new News.Refused(node, News.Refusal.CAPACITY, "no capacity", chance.below(20)), true);
    } else {
      ordered.add(order.token());
      existing.put(node, null);
      lifetimes.put(node, new Lifetime(marketMs(), Long.MAX_VALUE));
      scheduler.afterMs(world, chance.between(300, 5_000), () -> boot(node));
      tell(new News.Granted(node, "m-" + node), true);
    }
  }

  private void ends(String node) {
    // A token that is ended rents nothing any more.
    ordered.add("run-" + node);
    if (!existing.containsKey(node)) {
      tell(gone(node), true);
    } else if (ending.add(node)) {
      // A machine needs a while to shut down.
      long ms = chance.between(100, 3_000);
      scheduler.afterMs(world, ms, () -> destroy(node, News.Cause.ENDED));
    }
  }

  private void boot(String node) {
    // A machine whose agent never starts costs money until it is ended.
    if (existing.containsKey(node) && !faults.happens(chance, faults.neverBoots)) {
      existing.put(node, machines.apply(node));
      reachable(node);
    }
  }

  private void reachable(String node) {
    if (faults.dialled) {
      tell(new News.Reachable(node, new InetSocketAddress(0), null), false);
    }
  }
}

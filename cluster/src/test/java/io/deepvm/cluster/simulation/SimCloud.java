package io.deepvm.cluster.simulation;

import io.deepvm.catalog.Place;
import io.deepvm.cluster.log.Event;
import io.deepvm.market.Pool;
import io.deepvm.places.Cloud;
import io.deepvm.places.MarketView;
import io.deepvm.places.News;
import io.deepvm.places.Order;
import io.deepvm.places.Tenancy;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntSupplier;

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

  private final Set<String> ordered = new HashSet<>();
  private final Set<String> ending = new HashSet<>();
  private final Map<String, News.Cause> goneBecause = new HashMap<>();
  private Handle newest;

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

  private void tick() {
    for (String node : List.copyOf(existing.keySet())) {
      if (faults.happens(chance, faults.taken)) {
        take(node);
      } else if (faults.happens(chance, faults.agentDies)) {
        destroy(node, News.Cause.FAILED);
      } else if (existing.get(node) != null && faults.happens(chance, faults.agentFreezes)) {
        // The machine stays and costs money; only its agent says nothing any more.
        existing.get(node).freeze();
      }
    }
    tell(new News.Priced(chance.below(2), 100_000 + chance.below(10)), false);
    tell(new News.MarketRead(), false);
    scheduler.afterMs(world, TICK_MS, this::tick);
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
  Cloud open(Scheduler.Life process, Runnable mayDie) {
    newest = new Handle(process, mayDie);
    return newest;
  }

  private final class Handle implements Cloud {

    private final Scheduler.Life process;
    private final Runnable mayDie;
    private Consumer<News> news = unused -> {};

    Handle(Scheduler.Life process, Runnable mayDie) {
      this.process = process;
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
      return new SimMarket(() -> (int) (scheduler.nowMs() - startMs));
    }

    @Override
    public void open(Tenancy tenancy, Consumer<News> listener) {
      news = listener;
      for (Tenancy.Held held : tenancy.held()) {
        if (held.handle() == null) {
          order(held.order());
        } else if (existing.containsKey(held.order().node())) {
          tell(new News.Granted(held.order().node(), held.handle()), true);
        } else {
          tell(gone(held.order().node()), true);
        }
      }
    }

    private News.Gone gone(String node) {
      return new News.Gone(node, goneBecause.getOrDefault(node, News.Cause.ENDED), null);
    }

    @Override
    public void order(Order order) {
      mayDie.run();
      if (process.isDead()) {
        return;
      }
      String node = order.node();
      if (!disk.isSynced(l -> l.event() instanceof Event.Rented r && r.node().equals(node))) {
        throw new AssertionError("The order of %s is not in the ledger.".formatted(node));
      }
      if (faults.happens(chance, faults.requestLost)) {
        return;
      }
      if (ordered.contains(order.token())) {
        tell(existing.containsKey(node) ? new News.Granted(node, "m-" + node) : gone(node), true);
      } else if (faults.happens(chance, faults.refused)) {
        tell(new News.Refused(node, News.Refusal.CAPACITY, "no capacity", chance.below(20)), true);
      } else {
        ordered.add(order.token());
        existing.put(node, null);
        scheduler.afterMs(world, chance.between(300, 5_000), () -> boot(node));
        tell(new News.Granted(node, "m-" + node), true);
      }
      mayDie.run();
    }

    @Override
    public void end(String node, String reason) {
      mayDie.run();
      if (process.isDead()) {
        return;
      }
      if (faults.happens(chance, faults.requestLost)) {
        return;
      }
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

    @Override
    public void close() {}
  }

  private void boot(String node) {
    // A machine whose agent never starts costs money until it is ended.
    if (existing.containsKey(node) && !faults.happens(chance, faults.neverBoots)) {
      existing.put(node, machines.apply(node));
    }
  }

  private record SimMarket(IntSupplier ms) implements MarketView {
    @Override
    public List<Pool> pools() {
      return POOLS;
    }

    @Override
    public double spotUsdPerHour(int pool) {
      return 0.1 * (pool + 1);
    }

    @Override
    public double onDemandUsdPerHour(int pool) {
      return pool + 1;
    }

    @Override
    public OptionalInt spotCapacity(int pool) {
      return OptionalInt.empty();
    }

    @Override
    public double tickSeconds() {
      return TICK_MS / 1000.0;
    }

    @Override
    public long marketMs() {
      return ms.getAsInt();
    }
  }
}

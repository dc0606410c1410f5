package io.deepvm.places.testing;

import io.deepvm.catalog.Market;
import io.deepvm.market.Pool;
import io.deepvm.places.News;
import io.deepvm.places.Order;
import io.deepvm.places.OrderPoint;
import io.deepvm.places.OrderPoints;
import io.deepvm.places.Timers;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The machines of a cloud in memory. They outlive coordinators, each of which reaches them through
 * a {@link TestCloud} of its own. The same seed and the same requests give the same course.
 */
public final class DataCentre {

  /** What a test does when machines come and go. */
  public interface Machines {
    /** Does nothing. */
    Machines NONE =
        new Machines() {
          @Override
          public void started(Order order, String handle) {}

          @Override
          public void ended(String node) {}
        };

    /** A machine exists from now on and should run the order's launch. */
    void started(Order order, String handle);

    /** The machine of a node does not exist any more. */
    void ended(String node);
  }

  /**
   * The time for which a machine existed.
   *
   * @param untilMs {@link Long#MAX_VALUE} while it exists
   */
  public record Lease(Order order, String handle, long sinceMs, long untilMs) {}

  private static final double SPOT_USD_PER_HOUR = 1;

  static final double ON_DEMAND_USD_PER_HOUR = 4;

  private static final News.Refusal[] WHY = {
    News.Refusal.CAPACITY,
    News.Refusal.PRICE,
    News.Refusal.QUOTA,
    News.Refusal.THROTTLED,
    News.Refusal.BROKEN
  };

  private final List<Pool> pools;
  private final int limit;
  private final Timers timers;
  private final Clock clock;
  private final SplittableRandom random;
  private final Machines machines;
  private final int[] capacity;
  private final double[] spotUsdPerHour;
  private final Map<String, Lease> leases = new LinkedHashMap<>();
  private final Map<String, News.Gone> gone = new LinkedHashMap<>();
  private final Set<TestCloud> clouds = new LinkedHashSet<>();
  private Faults faults = Faults.NONE;

  /**
   * Makes a data centre without limits but that of its machines.
   *
   * @param timers on which its own messages travel; they must outlive coordinators
   */
  public DataCentre(
      List<Pool> pools, int limit, Timers timers, Clock clock, long seed, Machines machines) {
    this.pools = List.copyOf(pools);
    this.limit = limit;
    this.timers = timers;
    this.clock = clock;
    this.random = new SplittableRandom(seed);
    this.machines = machines;
    this.capacity = new int[pools.size()];
    this.spotUsdPerHour = new double[pools.size()];
    Arrays.fill(capacity, Integer.MAX_VALUE);
    Arrays.fill(spotUsdPerHour, SPOT_USD_PER_HOUR);
  }

  // --- What a test sets and sees ---

  /** Lets messages go wrong from now on. */
  public void faults(Faults other) {
    faults = other;
  }

  /** Limits the spot nodes of a pool; rented ones stay. */
  public void capacity(int pool, int nodes) {
    capacity[pool] = nodes;
    clouds.forEach(cloud -> inform(cloud, new News.MarketRead()));
  }

  /** Changes the price of a pool's spot nodes. */
  public void price(int pool, double usdPerHour) {
    spotUsdPerHour[pool] = usdPerHour;
    broadcast(new News.Priced(pool, Math.round(usdPerHour * 1e6)));
    broadcast(new News.MarketRead());
  }

  /** Returns the nodes whose machines exist. */
  public List<String> living() {
    return leases.keySet().stream().filter(this::lives).toList();
  }

  /** Returns all machines that ever existed, by order of their start. */
  public List<Lease> leases() {
    return List.copyOf(leases.values());
  }

  private boolean lives(String node) {
    Lease lease = leases.get(node);
    return lease != null && lease.untilMs() == Long.MAX_VALUE;
  }

  /** Lets a machine end by itself. */
  public void fail(String node) {
    vanish(node, News.Cause.FAILED, "it failed");
  }

  /** Takes a machine as a market does. */
  public void take(String node, String reason) {
    vanish(node, News.Cause.TAKEN, reason);
  }

  /** Announces that a node will be taken. */
  public void notice(String node, double leadSeconds, String reason) {
    broadcast(new News.Noticed(node, leadSeconds, reason));
  }

  /** Takes a notice back. */
  public void spare(String node) {
    broadcast(new News.Spared(node));
  }

  /** Announces that no more nodes can be had. */
  public void close(String reason) {
    broadcast(new News.Closed(reason));
  }

  private void vanish(String node, News.Cause cause, String reason) {
    if (lives(node)) {
      News.Gone news = end(node, cause, reason);
      broadcast(news);
    }
  }

  private News.Gone end(String node, News.Cause cause, @Nullable String reason) {
    News.Gone news = new News.Gone(node, cause, reason);
    gone.put(node, news);
    Lease lease = leases.get(node);
    if (lease != null) {
      leases.put(node, new Lease(lease.order(), lease.handle(), lease.sinceMs(), clock.millis()));
      machines.ended(node);
    }
    return news;
  }

  // --- What coordinators see and ask ---

  List<Pool> pools() {
    return pools;
  }

  int limit() {
    return limit;
  }

  Clock clock() {
    return clock;
  }

  double spotUsdPerHour(int pool) {
    return spotUsdPerHour[pool];
  }

  int capacity(int pool) {
    return capacity[pool];
  }

  void attach(TestCloud cloud) {
    clouds.add(cloud);
  }

  void detach(TestCloud cloud) {
    clouds.remove(cloud);
  }

  /**
   * Brings an order here.
   *
   * @param surely whether neither it nor its answer may be lost, as when a cloud asks until
   *     answered
   */
  void order(TestCloud from, Order order, OrderPoints points, boolean surely) {
    points.reached(OrderPoint.BEFORE_START, order.node());
    if (surely || !happens(faults.loseRequest())) {
      timers.after(lag(), () -> arrive(from, order, points, surely));
    }
  }

  private void arrive(TestCloud from, Order order, OrderPoints points, boolean surely) {
    String node = order.node();
    News.Gone end = gone.get(node);
    News.Refused refused = null;
    if (end == null && !lives(node)) {
      refused = refusal(order);
      if (refused == null) {
        String handle = "machine-" + (leases.size() + 1);
        leases.put(node, new Lease(order, handle, clock.millis(), Long.MAX_VALUE));
        machines.started(order, handle);
        points.reached(OrderPoint.AFTER_START, node);
      }
    }
    points.reached(OrderPoint.AFTER_CLAIM, node);
    reply(from, end != null ? end : refused != null ? refused : granted(node), surely);
  }

  private News granted(String node) {
    Lease lease = leases.get(node);
    if (lease == null) {
      throw new IllegalStateException("There is no machine for " + node);
    }
    return new News.Granted(node, lease.handle());
  }

  private News.@Nullable Refused refusal(Order order) {
    long spot =
        leases.values().stream()
            .filter(lease -> lease.untilMs() == Long.MAX_VALUE)
            .map(Lease::order)
            .filter(other -> other.pool() == order.pool() && other.market() == Market.SPOT)
            .count();
    boolean full = order.market() == Market.SPOT && spot >= capacity[order.pool()];
    if (full || living().size() >= limit) {
      return new News.Refused(order.node(), News.Refusal.CAPACITY, "there is no room", 1);
    }
    return happens(faults.refuse())
        ? new News.Refused(
            order.node(), WHY[random.nextInt(WHY.length)], "the cloud has a bad day", 1)
        : null;
  }

  /** Brings the end of a node here. */
  void end(TestCloud from, String node, String reason) {
    if (!happens(faults.loseRequest())) {
      timers.after(
          lag(),
          () -> {
            News.Gone before = gone.get(node);
            reply(from, before != null ? before : end(node, News.Cause.ENDED, reason), false);
          });
    }
  }

  /** Answers whether a node that a coordinator holds is still there. */
  void look(TestCloud from, String node) {
    News.Gone end = gone.get(node);
    reply(from, end == null ? granted(node) : end, true);
  }

  private void reply(TestCloud to, News news, boolean surely) {
    if (surely || !happens(faults.loseReply())) {
      inform(to, news);
    }
  }

  private void broadcast(News news) {
    new ArrayList<>(clouds).forEach(cloud -> inform(cloud, news));
  }

  private void inform(TestCloud to, News news) {
    timers.after(lag(), () -> to.deliver(news));
    if (happens(faults.repeatNews())) {
      timers.after(lag(), () -> to.deliver(news));
    }
  }

  private boolean happens(double share) {
    return share > 0 && random.nextDouble() < share;
  }

  private long lag() {
    return faults.mostLagMicros() == 0 ? 0 : random.nextLong(faults.mostLagMicros() + 1);
  }
}

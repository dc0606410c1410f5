package io.deepvm.places.slurm;

import io.deepvm.market.Pool;
import io.deepvm.places.Cloud;
import io.deepvm.places.FreeMarket;
import io.deepvm.places.MarketView;
import io.deepvm.places.News;
import io.deepvm.places.Order;
import io.deepvm.places.OrderPoint;
import io.deepvm.places.OrderPoints;
import io.deepvm.places.Tenancy;
import io.deepvm.places.Timers;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that are jobs of a Slurm cluster whose machines share this computer's files. A job that
 * waits in the queue is an order without an answer yet. Each job has a time limit, so it ends even
 * if no coordinator comes back.
 */
public final class SlurmCloud implements Cloud {

  private static final double FULL_SECONDS = 5;
  private static final double BROKEN_SECONDS = 30;
  private static final long RETRY_MICROS = 2_000_000;
  private static final long OFFER_MICROS = 10_000_000;

  /** Any port does: nothing is sent to it. */
  private static final int SOME_PORT = 9;

  /** Where a node is in its life. */
  private sealed interface Life {

    /**
     * Its job is not known to run.
     *
     * @param submitted whether it was submitted, or found
     * @param end why it should end; null if it should not
     */
    record Starting(Order order, boolean submitted, @Nullable String end) implements Life {}

    record Running(String job) implements Life {}

    /**
     * It must end.
     *
     * @param asking whether Slurm is being asked right now
     */
    record Ending(String reason, boolean asking) implements Life {}

    record Over(News.Gone gone) implements Life {}
  }

  private final SlurmSettings settings;
  private final Slurm slurm;
  private final List<Pool> pools;
  private final Timers timers;
  private final OrderPoints points;
  private final long pollMicros;
  private final FreeMarket market;
  private final Map<String, Life> lives = new LinkedHashMap<>();
  private final Map<String, Integer> poolOf = new HashMap<>();
  private @Nullable JobsOfRun jobs;
  private @Nullable Consumer<News> news;

  /** Creates a cloud for one run. */
  public SlurmCloud(
      SlurmSettings settings, List<Pool> pools, Slurm slurm, Timers timers, Clock clock) {
    this(settings, pools, slurm, timers, clock, OrderPoints.NONE);
  }

  /** Creates a cloud whose coordinator a test may end at a point of an order. */
  public SlurmCloud(
      SlurmSettings settings,
      List<Pool> pools,
      Slurm slurm,
      Timers timers,
      Clock clock,
      OrderPoints points) {
    this.settings = settings;
    this.pools = List.copyOf(pools);
    this.timers = timers;
    this.points = points;
    this.slurm = slurm;
    this.pollMicros = Math.round(settings.pollSeconds() * 1e6);
    this.market =
        new FreeMarket(
            this.pools,
            pool -> pool < settings.pools().size() ? settings.pools().get(pool).nodes() : 0,
            clock);
  }

  @Override
  public String name() {
    return "slurm";
  }

  @Override
  public int limit() {
    return settings.limit();
  }

  @Override
  public String prepare(Path folder) throws IOException {
    jobs = new JobsOfRun(folder, settings, slurm, points);
    return settings.address() == null ? addressTowards(slurm.someNode()) : settings.address();
  }

  /** Returns the address of this computer on the way to a node. */
  private static String addressTowards(String node) throws IOException {
    try (DatagramSocket socket = new DatagramSocket()) {
      InetSocketAddress there = new InetSocketAddress(node, SOME_PORT);
      if (there.isUnresolved()) {
        throw new IOException("the node's address %s is not known here".formatted(node));
      }
      socket.connect(there);
      return socket.getLocalAddress().getHostAddress();
    }
  }

  @Override
  public MarketView market() {
    return market;
  }

  @Override
  public void open(Tenancy tenancy, Consumer<News> listener) {
    news = listener;
    market.begin(tenancy.marketMs());
    for (Tenancy.Held held : tenancy.held()) {
      if (held.handle() == null) {
        start(held.order());
      } else {
        poolOf.put(held.order().node(), held.order().pool());
        lives.put(held.order().node(), new Life.Starting(held.order(), true, null));
      }
    }
    look();
    offer();
  }

  /** Lets the owner order again at intervals: what was refused may be there by now. */
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
      if (isFull(order.pool())) {
        String why = "all nodes that the settings allow are in use";
        report(new News.Refused(node, News.Refusal.CAPACITY, why, FULL_SECONDS));
      } else {
        start(order);
      }
    } else if (life instanceof Life.Running running) {
      report(new News.Granted(node, running.job()));
    } else if (life instanceof Life.Over over) {
      report(over.gone());
    }
    // Else the answer is on its way.
  }

  private boolean isFull(int pool) {
    long living =
        lives.entrySet().stream()
            .filter(entry -> !(entry.getValue() instanceof Life.Over))
            // Slurm itself lets an order wait for a machine that is about to be free.
            .filter(entry -> !(entry.getValue() instanceof Life.Ending))
            .filter(entry -> Integer.valueOf(pool).equals(poolOf.get(entry.getKey())))
            .count();
    return living >= settings.pools().get(pool).nodes();
  }

  private void start(Order order) {
    poolOf.put(order.node(), order.pool());
    lives.put(order.node(), new Life.Starting(order, false, null));
    submit(order);
  }

  private void submit(Order order) {
    JobsOfRun own = jobs();
    timers.aside(
        () -> {
          try {
            own.submit(order);
            timers.after(0, () -> submitted(order.node()));
          } catch (Slurm.Refused e) {
            timers.after(0, () -> refused(order.node(), String.valueOf(e.getMessage())));
          } catch (IOException e) {
            // It may have been submitted; a second attempt looks for its name first.
            timers.after(RETRY_MICROS, () -> again(order));
          }
        });
  }

  private void again(Order order) {
    if (news != null && lives.get(order.node()) instanceof Life.Starting) {
      submit(order);
    }
  }

  private void submitted(String node) {
    if (lives.get(node) instanceof Life.Starting starting) {
      lives.put(node, new Life.Starting(starting.order(), true, starting.end()));
      if (starting.end() != null) {
        kill(node, starting.end());
      }
    }
  }

  /** Slurm refused the job, so none exists. */
  private void refused(String node, String said) {
    if (lives.get(node) instanceof Life.Starting starting && starting.end() != null) {
      kill(node, starting.end());
      return;
    }
    lives.remove(node);
    News.Refusal why = SbatchRefusals.of(said);
    report(new News.Refused(node, why, said, BROKEN_SECONDS));
  }

  // --- The queue ---

  /** Looks at the queue at intervals, while news are wanted. */
  private void look() {
    if (news == null) {
      return;
    }
    List<String> nodes =
        lives.entrySet().stream()
            .filter(entry -> isWatched(entry.getValue()))
            .map(Map.Entry::getKey)
            .toList();
    if (nodes.isEmpty()) {
      timers.after(pollMicros, this::look);
      return;
    }
    JobsOfRun own = jobs();
    timers.aside(
        () -> {
          Map<String, JobsOfRun.Standing> seen = new HashMap<>();
          try {
            List<SlurmJob> all = own.jobs();
            for (String node : nodes) {
              seen.put(node, standing(own, node, all));
            }
          } catch (IOException e) {
            // The controller is away; a later look will show.
          } finally {
            timers.after(0, () -> seen.forEach(this::saw));
            timers.after(pollMicros, this::look);
          }
        });
  }

  private static boolean isWatched(Life life) {
    return life instanceof Life.Running
        || (life instanceof Life.Starting starting
            && starting.submitted()
            && starting.end() == null);
  }

  private JobsOfRun.Standing standing(JobsOfRun own, String node, List<SlurmJob> all)
      throws IOException {
    JobsOfRun.Standing standing = own.standing(node, all);
    if (standing instanceof JobsOfRun.Standing.None) {
      // Its job ended before it became the node.
      standing = own.settle(node);
    }
    if (standing instanceof JobsOfRun.Standing.Lives) {
      points.reached(OrderPoint.AFTER_CLAIM, node);
    }
    return standing;
  }

  private void saw(String node, JobsOfRun.Standing standing) {
    Life life = lives.get(node);
    if (life == null || !isWatched(life)) {
      return;
    }
    if (standing instanceof JobsOfRun.Standing.Lives now) {
      if (life instanceof Life.Starting) {
        lives.put(node, new Life.Running(now.job()));
        report(new News.Granted(node, now.job()));
      }
    } else if (standing instanceof JobsOfRun.Standing.Ended ended) {
      String taken = JobsOfRun.taken(ended.state());
      News.Cause cause = taken == null ? News.Cause.FAILED : News.Cause.TAKEN;
      over(new News.Gone(node, cause, taken == null ? "its job ended" : taken));
    } else if (standing instanceof JobsOfRun.Standing.Nobody) {
      over(
          new News.Gone(node, News.Cause.FAILED, "its job ended before it started, see agent.log"));
    }
  }

  // --- Ends ---

  @Override
  public void end(String node, String reason) {
    Life life = lives.get(node);
    if (life instanceof Life.Starting starting && !starting.submitted()) {
      lives.put(node, new Life.Starting(starting.order(), false, reason));
    } else if (life instanceof Life.Over over) {
      report(over.gone());
    } else if (!(life instanceof Life.Ending ending && ending.asking())) {
      kill(node, life instanceof Life.Ending ending ? ending.reason() : reason);
    }
  }

  private void kill(String node, String reason) {
    lives.put(node, new Life.Ending(reason, true));
    JobsOfRun own = jobs();
    timers.aside(
        () -> {
          boolean gone = false;
          try {
            gone = own.end(node);
          } catch (IOException e) {
            // Nothing confirms the end, so the owner asks again.
          }
          boolean confirmed = gone;
          timers.after(0, () -> asked(node, reason, confirmed));
        });
  }

  private void asked(String node, String reason, boolean gone) {
    if (gone) {
      over(new News.Gone(node, News.Cause.ENDED, reason));
    } else {
      lives.put(node, new Life.Ending(reason, false));
    }
  }

  private void over(News.Gone gone) {
    lives.put(gone.node(), new Life.Over(gone));
    report(gone);
  }

  // --- The rest ---

  private JobsOfRun jobs() {
    if (jobs == null) {
      throw new IllegalStateException("The cloud is not prepared.");
    }
    return jobs;
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
  }
}

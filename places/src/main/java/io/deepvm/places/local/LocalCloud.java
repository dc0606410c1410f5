package io.deepvm.places.local;

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
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that are processes of this machine, each in a session of its own. They outlive a
 * coordinator that is killed. Each node claims its folder before it starts, so a coordinator finds
 * the nodes of an earlier one again and starts none twice.
 */
public final class LocalCloud implements Cloud {

  /** How often a process is looked at that an earlier coordinator started. */
  private static final long WATCH_MICROS = 200_000;

  /** The wait before a node is ordered again that did not fit. */
  private static final double FULL_SECONDS = 1;

  /** The wait before a node is ordered again that could not be started. */
  private static final double BROKEN_SECONDS = 5;

  /** Where a node is in its life. */
  private sealed interface Life {

    /**
     * Its process starts.
     *
     * @param end why it should end as soon as it has started; null if it should not
     */
    record Starting(@Nullable String end) implements Life {}

    record Running(ProcessId process) implements Life {}

    /**
     * It must end.
     *
     * @param process null if this coordinator does not know it
     */
    record Ending(@Nullable ProcessId process, String reason) implements Life {}

    record Over(News.Gone gone) implements Life {}
  }

  private final LocalOptions options;
  private final List<Pool> pools;
  private final Timers timers;
  private final Clock clock;
  private final OrderPoints points;
  private final Map<String, Life> lives = new HashMap<>();
  private final FreeMarket market;
  private @Nullable NodeProcesses processes;
  private @Nullable Consumer<News> news;

  /**
   * Creates a cloud for one run.
   *
   * @param pools what the nodes stand for
   */
  public LocalCloud(LocalOptions options, List<Pool> pools, Timers timers, Clock clock) {
    this(options, pools, timers, clock, OrderPoints.NONE);
  }

  /** Creates a cloud whose coordinator a test may end at a point of an order. */
  public LocalCloud(
      LocalOptions options, List<Pool> pools, Timers timers, Clock clock, OrderPoints points) {
    this.options = options;
    this.pools = List.copyOf(pools);
    this.timers = timers;
    this.clock = clock;
    this.points = points;
    this.market = new FreeMarket(this.pools, pool -> options.limit(), clock);
  }

  @Override
  public String name() {
    return "local";
  }

  @Override
  public int limit() {
    return options.limit();
  }

  @Override
  public String prepare(Path folder) throws IOException {
    processes = new NodeProcesses(folder, options, pools, clock, points);
    return processes.coordinatorHost();
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
        found(held.order().node(), ProcessId.parse(held.handle()));
      }
    }
  }

  // --- Orders ---

  @Override
  public void order(Order order) {
    String node = order.node();
    Life life = lives.get(node);
    if (life == null) {
      if (living() < options.limit()) {
        start(order);
      } else {
        String why = "this machine has room for %d nodes".formatted(options.limit());
        report(new News.Refused(node, News.Refusal.CAPACITY, why, FULL_SECONDS));
      }
    } else if (life instanceof Life.Running running) {
      report(new News.Granted(node, running.process().toString()));
    } else if (life instanceof Life.Over over) {
      report(over.gone());
    }
    // Else the answer is on its way.
  }

  private long living() {
    return lives.values().stream().filter(life -> !(life instanceof Life.Over)).count();
  }

  private void start(Order order) {
    lives.put(order.node(), new Life.Starting(null));
    NodeProcesses own = processes();
    timers.aside(
        () -> {
          try {
            Optional<ProcessId> process = own.start(order);
            timers.after(0, () -> started(order.node(), process));
          } catch (IOException e) {
            timers.after(0, () -> broken(order.node(), String.valueOf(e.getMessage())));
          }
        });
  }

  private void started(String node, Optional<ProcessId> process) {
    String end = lives.get(node) instanceof Life.Starting starting ? starting.end() : null;
    if (process.isEmpty()) {
      over(new News.Gone(node, News.Cause.ENDED, end));
    } else if (end == null) {
      found(node, process.get());
    } else {
      kill(node, process.get(), end);
    }
  }

  /** Follows the process that is the node, if it still runs. */
  private void found(String node, ProcessId process) {
    ProcessHandle running = process.find().orElse(null);
    if (running == null) {
      over(new News.Gone(node, News.Cause.FAILED, "its process ended without a coordinator"));
      return;
    }
    lives.put(node, new Life.Running(process));
    report(new News.Granted(node, process.toString()));
    if (running.parent().filter(ProcessHandle.current()::equals).isPresent()) {
      var unused = running.onExit().thenRun(() -> timers.after(0, () -> ended(node, process)));
    } else {
      // Java looks at other processes than its children less and less often, down to every 5 s.
      watch(node, process);
    }
  }

  private void watch(String node, ProcessId process) {
    if (!process.isAlive()) {
      ended(node, process);
    } else if (news != null) {
      timers.after(WATCH_MICROS, () -> watch(node, process));
    }
  }

  /** The process has ended, by itself unless an end was asked for. */
  private void ended(String node, ProcessId process) {
    if (lives.get(node) instanceof Life.Running running && running.process().equals(process)) {
      over(new News.Gone(node, News.Cause.FAILED, "its process ended"));
    }
  }

  private void broken(String node, String why) {
    lives.remove(node);
    report(new News.Refused(node, News.Refusal.BROKEN, why, BROKEN_SECONDS));
  }

  // --- Ends ---

  @Override
  public void end(String node, String reason) {
    Life life = lives.get(node);
    if (life instanceof Life.Starting) {
      lives.put(node, new Life.Starting(reason));
    } else if (life instanceof Life.Running running) {
      kill(node, running.process(), reason);
    } else if (life instanceof Life.Ending ending) {
      kill(node, ending.process(), ending.reason());
    } else if (life instanceof Life.Over over) {
      report(over.gone());
    } else {
      kill(node, null, reason);
    }
  }

  private void kill(String node, @Nullable ProcessId process, String reason) {
    lives.put(node, new Life.Ending(process, reason));
    NodeProcesses own = processes();
    timers.aside(
        () -> {
          try {
            if (process == null ? own.prevent(node) : own.kill(process)) {
              News.Gone gone = new News.Gone(node, News.Cause.ENDED, reason);
              timers.after(0, () -> over(gone));
            }
          } catch (IOException e) {
            // Nothing confirms the end, so the owner asks again.
          }
        });
  }

  private void over(News.Gone gone) {
    lives.put(gone.node(), new Life.Over(gone));
    NodeProcesses own = processes();
    timers.aside(() -> own.unlink(gone.node()));
    report(gone);
  }

  // --- The rest ---

  private NodeProcesses processes() {
    if (processes == null) {
      throw new IllegalStateException("The cloud is not prepared.");
    }
    return processes;
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

  /** Cuts the link of a node that has one of its own, or mends it. */
  public void cut(String node, boolean off) {
    try {
      processes().cut(node, off);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    news = null;
    if (processes != null && living() == 0) {
      processes.close();
    }
  }
}

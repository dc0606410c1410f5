package io.deepvm.places.aws;

import io.deepvm.places.News;
import io.deepvm.places.Order;
import io.deepvm.places.Tenancy;
import io.deepvm.places.Timers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One coordinator on simulated time: orders nodes, ends them, and repeats what is not answered. */
final class SimCoordinator implements Timers {

  /** The end of a coordinator. */
  private static final class Halted extends Error {
    private static final long serialVersionUID = 1;
  }

  /** What a run's event log would say of a node. */
  static final class Logged {
    private final Order order;
    private @Nullable String handle;
    private @Nullable String gone;
    private @Nullable String refused;

    Logged(Order order) {
      this.order = order;
    }

    /** Whether no machine of the node exists. */
    boolean isGone() {
      return gone != null || refused != null;
    }

    /** Returns why it is gone; empty if it is not. */
    String why() {
      return gone != null ? gone : refused != null ? refused : "";
    }
  }

  private final AwsScene scene;
  private final Map<String, Logged> log;
  private final @Nullable RentalStep fatal;
  private final AwsCloud cloud;
  private final List<News> heard = new ArrayList<>();
  private boolean alive = true;

  /**
   * Takes a run over.
   *
   * @param log lives longer than coordinators
   * @param fatal the step of the node n2 at which it is halted; null for none
   */
  SimCoordinator(AwsScene scene, Path folder, Map<String, Logged> log, @Nullable RentalStep fatal)
      throws IOException {
    this.scene = scene;
    this.log = log;
    this.fatal = fatal;
    this.cloud = scene.cloud(folder, this, this::reached);
    List<Tenancy.Held> held = new ArrayList<>();
    for (Logged each : log.values()) {
      if (!each.isGone()) {
        held.add(new Tenancy.Held(each.order, each.handle, 0, null));
      }
    }
    after(
        0,
        () -> {
          try {
            cloud.open(new Tenancy("run", 0, 1, held), this::receive);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  private void reached(RentalStep step, String node) {
    if (step == fatal && node.equals("n2")) {
      throw new Halted();
    }
  }

  private void receive(News news) {
    heard.add(news);
    if (news instanceof News.Granted granted) {
      logged(granted.node()).handle = granted.handle();
    } else if (news instanceof News.Gone gone) {
      logged(gone.node()).gone = String.valueOf(gone.reason());
    } else if (news instanceof News.Refused refused && logged(refused.node()).handle == null) {
      logged(refused.node()).refused = refused.reason();
    }
  }

  private Logged logged(String node) {
    return Objects.requireNonNull(log.get(node));
  }

  /** Whether it was not halted. */
  boolean isAlive() {
    return alive;
  }

  /** Returns all news so far. */
  List<News> heard() {
    return List.copyOf(heard);
  }

  /** Orders as long as it is not answered. */
  void order(Order order) {
    Logged logged = log.computeIfAbsent(order.node(), any -> new Logged(order));
    if (alive && logged.handle == null && !logged.isGone()) {
      cloud.order(order);
      after(2_000_000, () -> order(order));
    }
  }

  /** Asks for the end as long as it is not confirmed. */
  void end(String node) {
    Logged logged = log.get(node);
    if (alive && logged != null && !logged.isGone()) {
      cloud.end(node, "the run does not need it");
      after(2_000_000, () -> end(node));
    }
  }

  /** Ends this coordinator like kill -9. */
  void halt() {
    alive = false;
  }

  /** Closes its cloud, as at the end of a run. */
  void close() {
    cloud.close();
  }

  @Override
  public void after(long micros, Runnable task) {
    scene.time.after(
        micros,
        () -> {
          if (alive) {
            try {
              task.run();
            } catch (Halted e) {
              alive = false;
            }
          }
        });
  }

  @Override
  public void aside(Runnable task) {
    after(0, task);
  }
}

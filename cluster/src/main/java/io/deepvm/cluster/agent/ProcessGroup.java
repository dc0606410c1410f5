package io.deepvm.cluster.agent;

import io.deepvm.base.DaemonThreads;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.output.PrintedLine;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The training processes of one node. They live and end together, as under torchrun: if one fails,
 * the others are ended and the node has failed.
 */
final class ProcessGroup implements Child {

  /** Receives what happens to the processes; called by other threads. */
  interface Listener {

    /** One wrote something, be it less than a line. */
    void wrote();

    /** One printed a line that may be a report. */
    void reported(String line);

    /** One printed a line for people. */
    void printed(int localRank, PrintedLine.Pipe pipe, String text);

    /** All have ended: well, or because this one failed first. */
    void exited(Exit exit);
  }

  /**
   * How the processes ended.
   *
   * @param localRank the first that failed; null where the node has one process or none failed
   * @param tail the end of its standard error
   */
  record Exit(@Nullable Integer localRank, int code, String tail) {}

  private final Listener listener;
  private final Duration patience;
  private final int size;
  private final List<Child> children = new ArrayList<>();
  private int ended;
  private @Nullable Exit failed;

  private ProcessGroup(Listener listener, Duration patience, int size) {
    this.listener = listener;
    this.patience = patience;
    this.size = size;
  }

  /**
   * Starts a process for each environment; none is left when one cannot be started.
   *
   * @param patience how long processes may take to end after another has failed
   */
  static ProcessGroup launch(
      Launcher launcher,
      List<String> command,
      List<Map<String, String>> environments,
      Duration patience,
      Listener listener)
      throws IOException {
    ProcessGroup group = new ProcessGroup(listener, patience, environments.size());
    group.launch(launcher, command, environments);
    return group;
  }

  /** Holds the lock, so that no end of a process is handled before all have been started. */
  private synchronized void launch(
      Launcher launcher, List<String> command, List<Map<String, String>> environments)
      throws IOException {
    try {
      for (int local = 0; local < size; local++) {
        children.add(launcher.launch(command, environments.get(local), local, new One(local)));
      }
    } catch (IOException e) {
      children.forEach(Child::kill);
      throw e;
    }
  }

  @Override
  public void order(Order order) {
    all().forEach(child -> child.order(order));
  }

  @Override
  public void signal(String name) {
    all().forEach(child -> child.signal(name));
  }

  /** Stops all at the same time, so that many take no longer than one. */
  @Override
  public void stop(String reason, Duration most) {
    CompletableFuture<?>[] stops =
        all().stream()
            .map(child -> CompletableFuture.runAsync(() -> child.stop(reason, most), this::begin))
            .toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(stops).get();
    } catch (InterruptedException e) {
      kill();
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  @Override
  public void kill() {
    all().forEach(Child::kill);
  }

  private synchronized List<Child> all() {
    return List.copyOf(children);
  }

  private void exited(int local, int code, String tail) {
    Exit over = null;
    boolean first = false;
    synchronized (this) {
      ended++;
      if (code != 0 && failed == null) {
        failed = new Exit(size == 1 ? null : local, code, tail);
        first = true;
      }
      if (ended == size) {
        over = failed == null ? new Exit(null, 0, tail) : failed;
      }
    }
    if (over != null) {
      listener.exited(over);
    } else if (first) {
      begin(() -> stop("another process of the node failed", patience));
    }
  }

  private void begin(Runnable task) {
    DaemonThreads.start("child-stop", task);
  }

  /** Listens to the process of one local rank. */
  private final class One implements Launcher.Listener {

    private final int local;

    One(int local) {
      this.local = local;
    }

    @Override
    public void wrote() {
      listener.wrote();
    }

    @Override
    public void reported(String line) {
      listener.reported(line);
    }

    @Override
    public void printed(PrintedLine.Pipe pipe, String text) {
      listener.printed(local, pipe, text);
    }

    @Override
    public void exited(int code, String tail) {
      ProcessGroup.this.exited(local, code, tail);
    }
  }
}

package io.deepvm.places.local;

import io.deepvm.market.Pool;
import io.deepvm.places.Cloud;
import io.deepvm.places.CloudContract;
import io.deepvm.places.OrderPoints;
import io.deepvm.places.testing.ThreadTimers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Real processes under the contract of clouds. */
final class LocalFixture implements CloudContract.Fixture {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final long PAUSE_MS = 300;
  private static final long POLL_MS = 5;

  private final ThreadTimers timers = new ThreadTimers();
  private final Path folder;
  private final LocalOptions options;
  private final List<Pool> pools;

  LocalFixture(Path folder, LocalOptions options, List<Pool> pools) {
    this.folder = folder;
    this.options = options;
    this.pools = pools;
  }

  @Override
  public Cloud connect(OrderPoints points) throws IOException {
    Cloud cloud = new LocalCloud(options, pools, timers, Clock.systemUTC(), points);
    cloud.prepare(folder);
    return cloud;
  }

  ThreadTimers timers() {
    return timers;
  }

  @Override
  public void call(Runnable task) {
    timers.call(task);
  }

  @Override
  public void await(BooleanSupplier something) {
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (!something.getAsBoolean()) {
      if (System.nanoTime() > until) {
        throw new AssertionError("It did not happen within " + PATIENCE);
      }
      pause(POLL_MS);
    }
  }

  @Override
  public void pause() {
    pause(PAUSE_MS);
  }

  private static void pause(long ms) {
    try {
      Thread.sleep(ms);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void hold(boolean aside) {
    timers.hold(aside);
  }

  @Override
  public int machines(String node) {
    return processes(node).size();
  }

  /** Returns the processes that work in the node's folder, or have the claim to. */
  List<ProcessHandle> processes(String node) {
    Path home = folder.resolve("nodes").resolve(node);
    return ProcessHandle.allProcesses()
        .filter(process -> ProcessId.of(process.pid()).filter(ProcessId::isAlive).isPresent())
        .filter(process -> worksIn(process, home))
        .toList();
  }

  private static boolean worksIn(ProcessHandle process, Path home) {
    Path proc = Path.of("/proc", Long.toString(process.pid()));
    try {
      ProcessId holder = new Claim(home).holder();
      boolean claims = holder != null && holder.pid() == process.pid();
      return Files.readSymbolicLink(proc.resolve("cwd")).equals(home.toRealPath())
          && (claims || Files.readString(proc.resolve("cmdline")).startsWith("sleep"));
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void fail(String node) {
    processes(node).forEach(ProcessHandle::destroyForcibly);
    await(() -> machines(node) == 0);
  }

  @Override
  public void close() {
    timers.close();
    try (var homes = Files.list(Files.createDirectories(folder.resolve("nodes")))) {
      homes.forEach(home -> fail(home.getFileName().toString()));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}

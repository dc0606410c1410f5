package io.deepvm.places.ssh;

import io.deepvm.market.Pool;
import io.deepvm.places.Cloud;
import io.deepvm.places.CloudContract;
import io.deepvm.places.OrderPoints;
import io.deepvm.places.testing.TaggedProcesses;
import io.deepvm.places.testing.ThreadTimers;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/** Processes behind a real sshd under the contract of clouds. Each host is a folder of its own. */
final class SshFixture implements CloudContract.Fixture {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long PAUSE_MS = 600;
  private static final long POLL_MS = 10;

  private final ThreadTimers timers = new ThreadTimers();
  private final Path folder;
  private final List<Pool> pools;
  private final SshSettings settings;
  private final List<SshHosts> opened = new ArrayList<>();

  SshFixture(Path folder, TestSshd sshd, List<Pool> pools, int limit, double leaseSeconds) {
    this.folder = folder;
    this.pools = pools;
    List<SshHost> hosts =
        IntStream.rangeClosed(1, limit)
            .mapToObj(
                i ->
                    new SshHost(
                        "h" + i,
                        sshd.login(),
                        null,
                        folder.resolve("host" + i).toString(),
                        pools.get(0).instanceType(),
                        0))
            .toList();
    String run = "contract-" + Long.toHexString(System.nanoTime());
    this.settings = new SshSettings(run, "test", hosts, leaseSeconds, SshSettings.Shipment.NONE);
  }

  SshSettings settings() {
    return settings;
  }

  ThreadTimers timers() {
    return timers;
  }

  @Override
  public Cloud connect(OrderPoints points) throws IOException {
    SshHosts hosts = SshHosts.of(settings);
    opened.add(hosts);
    Cloud cloud = new SshCloud(hosts, pools, timers, Clock.systemUTC(), points);
    cloud.prepare(folder.resolve("run"));
    return cloud;
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
    return TaggedProcesses.of(settings.run() + "/" + node).size();
  }

  @Override
  public void fail(String node) {
    TaggedProcesses.of(settings.run() + "/" + node).forEach(ProcessHandle::destroyForcibly);
    await(() -> machines(node) == 0);
  }

  @Override
  public void close() {
    timers.close();
    for (int i = 1; i <= 9; i++) {
      fail("n" + i);
    }
    opened.forEach(SshHosts::close);
  }
}

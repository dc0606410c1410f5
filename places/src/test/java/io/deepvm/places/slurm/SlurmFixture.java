package io.deepvm.places.slurm;

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
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** Jobs of a real Slurm under the contract of clouds. */
final class SlurmFixture implements CloudContract.Fixture {

  /** Slurm itself may take a minute to clear a job whose processes were killed. */
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final long PAUSE_MS = 800;
  private static final long POLL_MS = 10;

  private final ThreadTimers timers = new ThreadTimers();
  private final Path folder;
  private final List<Pool> pools;
  private final SlurmSettings settings;
  private final Slurm slurm;

  SlurmFixture(Path folder, TestSlurm cluster, List<Pool> pools, int limit) {
    this.folder = folder;
    this.pools = pools;
    this.slurm = new Slurm(Map.of("SLURM_CONF", cluster.config().toString()));
    this.settings =
        new SlurmSettings(
            "contract-" + Long.toHexString(System.nanoTime()),
            List.of(new SlurmPool(pools.get(0).instanceType(), "cpu", limit, 0, List.of())),
            600,
            30,
            0.15,
            null);
  }

  SlurmSettings settings() {
    return settings;
  }

  Slurm slurm() {
    return slurm;
  }

  @Override
  public Cloud connect(OrderPoints points) throws IOException {
    Cloud cloud = new SlurmCloud(settings, pools, slurm, timers, Clock.systemUTC(), points);
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
    try {
      for (SlurmJob job : slurm.jobs()) {
        if (job.name().startsWith(SlurmSettings.PREFIX + settings.run())) {
          slurm.cancel(job.name());
        }
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    await(() -> TaggedProcesses.startingWith(settings.run() + "/").isEmpty());
  }
}

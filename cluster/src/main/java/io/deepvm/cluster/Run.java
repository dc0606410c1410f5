package io.deepvm.cluster;

import io.deepvm.base.BadInput;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.cluster.shell.OpenRun;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A run that this process coordinates. */
public final class Run implements AutoCloseable {

  /** Time for the cloud to end machines, in addition to the time that processes have. */
  private static final double SPARE_SECONDS = 20;

  private final OpenRun run;
  private final long stopMillis;
  private final Thread hook = new Thread(this::abandon, "run-hook");

  private Run(OpenRun run, RunSpec spec) {
    this.run = run;
    double stop = spec.work().timeouts().stopSeconds();
    this.stopMillis = Math.round(1000 * (2 * stop + SPARE_SECONDS));
    Runtime.getRuntime().addShutdownHook(hook);
    var unused = run.end().whenComplete((status, failure) -> forgetHook());
  }

  /** Starts a new run in the folder. */
  public static Run start(Path folder, RunSpec spec, Setting setting) throws IOException {
    RunFolder made = RunFolder.create(folder, spec);
    try {
      return new Run(OpenRun.start(made, setting), spec);
    } catch (BadInput e) {
      // Nothing has happened, so the folder may be used for what was meant.
      made.forget();
      throw e;
    }
  }

  /** Goes on with the folder's run after its coordinator ended; nodes that live are taken over. */
  public static Run resume(Path folder, Setting setting) throws IOException {
    RunFolder there = RunFolder.of(folder);
    return new Run(OpenRun.start(there, setting), there.spec());
  }

  /** Returns how the run stands now. */
  public RunStatus status() {
    return run.status();
  }

  /** Waits until the run is over, but no longer than this, and returns how it stands then. */
  public RunStatus await(Duration patience) throws InterruptedException {
    try {
      return run.end().get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return status();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof BadInput reason) {
        throw reason;
      }
      throw new IllegalStateException("The coordinator failed: " + e.getCause(), e.getCause());
    }
  }

  /** Ends the run and everything that belongs to it; {@link #await} returns when it is over. */
  public void stop(String reason) {
    run.stop(RunPhase.STOPPED, reason);
  }

  /** Ends this coordinator and leaves the nodes to another one, which has taken the run over. */
  public void leave(BadInput why) {
    run.leave(why);
  }

  /** Ends the run if it is not over, and waits until nothing of it is left. */
  @Override
  public void close() {
    stop("closed");
    awaitEnd();
  }

  private void awaitEnd() {
    try {
      run.end().get(stopMillis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // await reports the failure; agents without a coordinator end by themselves.
    }
  }

  /** This process ends while the run goes on: nothing may outlive it, and another may resume it. */
  private void abandon() {
    run.stop(RunPhase.INTERRUPTED, "the coordinator was interrupted");
    awaitEnd();
  }

  private void forgetHook() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // This process is ending.
    }
  }
}

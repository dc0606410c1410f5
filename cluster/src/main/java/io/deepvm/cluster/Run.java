package io.deepvm.cluster;

import io.deepvm.cluster.log.RunStatus;
import io.deepvm.units.BadInput;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A run that this process coordinates. */
public final class Run implements AutoCloseable {

  private final Coordinator coordinator;

  private Run(Coordinator coordinator) {
    this.coordinator = coordinator;
  }

  /** Starts a new run in the folder. */
  public static Run start(Path folder, RunSpec spec, Setting setting)
      throws IOException, InterruptedException {
    if (spec.minWorkers() + spec.servers() > setting.provider().limit()) {
      throw new BadInput(
          "The run needs %d nodes, the provider has room for %d."
              .formatted(spec.minWorkers() + spec.servers(), setting.provider().limit()),
          "Maybe ask for fewer, or raise the provider's limit.");
    }
    RunFolder made = RunFolder.create(folder, spec);
    try {
      return new Run(Coordinator.start(made, setting));
    } catch (BadInput e) {
      // Nothing has happened, so the folder may be used for what was meant.
      made.forget();
      throw e;
    }
  }

  /** Goes on with the folder's run after its coordinator died; nodes that live are taken over. */
  public static Run resume(Path folder, Setting setting) throws IOException, InterruptedException {
    return new Run(Coordinator.start(RunFolder.of(folder), setting));
  }

  /** Returns how the run stands now. */
  public RunStatus status() {
    return coordinator.status();
  }

  /** Waits until the run is over and returns how it ended; at the latest after so long as it is. */
  public RunStatus await(Duration patience) throws InterruptedException {
    try {
      return coordinator.end().get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return status();
    } catch (ExecutionException e) {
      throw new IllegalStateException("The coordinator failed: " + e.getCause(), e.getCause());
    }
  }

  /** Ends the run and everything that belongs to it; {@link #await} tells when it is over. */
  public void stop(String reason) {
    coordinator.stop(reason);
  }

  /** Ends the run if it is not over, and waits until nothing of it is left. */
  @Override
  public void close() {
    coordinator.close();
    try {
      coordinator.end().get(coordinator.stopMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // The reason was told by await, or the agents end by themselves soon.
    }
  }
}

package io.deepvm.checkpoint;

import io.deepvm.checkpoint.Delivery.State;
import io.deepvm.checkpoint.format.Shard;
import io.deepvm.checkpoint.tier.CheckpointWriter;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/** One attempt to write a save into a tier and to commit it there. */
final class LaneWrite {

  private static final System.Logger LOG = System.getLogger(LaneWrite.class.getName());

  private final TierLane lane;
  private final EngineOptions options;
  private final EngineLife life;
  private final Deliveries deliveries;
  private final Assembly assembly;
  private final LongSupplier nanoTime;

  LaneWrite(
      TierLane lane,
      EngineOptions options,
      EngineLife life,
      Deliveries deliveries,
      Assembly assembly,
      LongSupplier nanoTime) {
    this.lane = lane;
    this.options = options;
    this.life = life;
    this.deliveries = deliveries;
    this.assembly = assembly;
    this.nanoTime = nanoTime;
  }

  /** Returns once the save is committed, or written and waiting for the other workers. */
  void attempt(Save save) throws IOException {
    TierLane source = lane.source();
    if (source != null) {
      Promotion.copy(save.version(), options.claim().owner(), source.tier(), lane.tier());
      deliveries.committed(lane, save);
      return;
    }
    long begin = nanoTime.getAsLong();
    CheckpointWriter writer = lane.tier().write(save.version(), options.claim().owner());
    boolean pending = false;
    try {
      Shard shard = save.shard().write(writer::shard, lane::progress);
      noteSpeed(shard.bytes(), nanoTime.getAsLong() - begin);
      CompletableFuture<Void> end =
          assembly.contribute(lane.name(), part(save, shard), writer::commit);
      if (options.workers() == 1) {
        join(end);
        deliveries.committed(lane, save);
      } else {
        pending = true;
        awaitOthers(save, writer, end);
      }
    } finally {
      if (!pending) {
        writer.close();
      }
    }
  }

  private void noteSpeed(long bytes, long nanos) {
    life.lock();
    try {
      lane.measured(bytes, nanos);
    } finally {
      life.unlock();
    }
  }

  private WorkerPart part(Save save, Shard shard) {
    return new WorkerPart(
        save.version(),
        options.claim().owner(),
        options.worker(),
        options.workers(),
        save.shard().tensors(),
        shard);
  }

  private void join(CompletableFuture<Void> end) throws IOException {
    try {
      end.orTimeout(options.commitTimeout().toNanos(), TimeUnit.NANOSECONDS).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof IOException cause) {
        throw cause;
      }
      throw new IOException(e.getCause());
    }
  }

  /** Lets the lane go on; the delivery ends when the parts of the other workers have come. */
  private void awaitOthers(Save save, CheckpointWriter writer, CompletableFuture<Void> end) {
    deliveries.awaitsPeers(lane, save);
    CompletableFuture<Void> unused =
        end.orTimeout(options.commitTimeout().toNanos(), TimeUnit.NANOSECONDS)
            .whenComplete(
                (nothing, problem) -> {
                  close(writer);
                  if (problem == null) {
                    deliveries.committed(lane, save);
                  } else {
                    deliveries.missed(lane, save, State.FAILED, reason(problem));
                  }
                });
  }

  private static void close(CheckpointWriter writer) {
    try {
      writer.close();
    } catch (IOException | RuntimeException | Error e) {
      LOG.log(System.Logger.Level.WARNING, "Closing failed.", e);
    }
  }

  private String reason(Throwable problem) {
    Throwable cause =
        problem instanceof CompletionException && problem.getCause() != null
            ? problem.getCause()
            : problem;
    return cause instanceof TimeoutException
        ? "The other workers' parts did not come within %d s."
            .formatted(options.commitTimeout().toSeconds())
        : String.valueOf(cause.getMessage());
  }
}

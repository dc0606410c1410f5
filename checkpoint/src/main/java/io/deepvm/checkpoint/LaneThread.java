package io.deepvm.checkpoint;

import io.deepvm.checkpoint.Delivery.State;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.tier.CheckpointReader;
import io.deepvm.checkpoint.tier.StaleGeneration;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;

/** The thread of one tier: writes what is queued, one save after the other, and cleans up. */
final class LaneThread implements Runnable {

  private static final System.Logger LOG = System.getLogger(LaneThread.class.getName());

  private final TierLane lane;
  private final EngineOptions options;
  private final EngineLife life;
  private final EngineFigures figures;
  private final Deliveries deliveries;
  private final LaneWrite write;
  private final Housekeeping housekeeping;

  LaneThread(
      TierLane lane,
      EngineOptions options,
      EngineLife life,
      EngineFigures figures,
      Deliveries deliveries,
      LaneWrite write) {
    this.lane = lane;
    this.options = options;
    this.life = life;
    this.figures = figures;
    this.deliveries = deliveries;
    this.write = write;
    this.housekeeping = new Housekeeping(lane, deliveries.lanes(), options, figures);
  }

  @Override
  public void run() {
    tryClaim();
    try {
      while (true) {
        boolean tidy;
        Save save;
        life.lock();
        try {
          life.awaitWhile(() -> lane.isIdle() && !life.isClosed());
          tidy = lane.takeTidy();
          save = lane.next();
        } finally {
          life.unlock();
        }
        if (save == null && !tidy) {
          return;
        }
        if (tidy) {
          tidy();
        }
        if (save != null) {
          deliver(save);
        }
      }
    } catch (InterruptedException e) {
      // the engine has closed
    }
  }

  /** Claims this generation in the tier if it can be reached; else the first write does so. */
  private void tryClaim() {
    try {
      lane.tier().claim(options.job(), options.claim());
    } catch (IOException | RuntimeException | Error e) {
      LOG.log(System.Logger.Level.WARNING, "The tier {0}: {1}", lane.name(), e.toString());
    }
  }

  private void tidy() {
    try {
      housekeeping.tidy();
    } catch (StaleGeneration e) {
      leaveToOthers();
    }
  }

  /** Brings a save into the tier, trying again where that may help. */
  private void deliver(Save save) throws InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        write.attempt(save);
        return;
      } catch (FileAlreadyExistsException e) {
        // an earlier attempt may have got through though its answer did not
        if (isMine(save)) {
          deliveries.committed(lane, save);
        } else {
          deliveries.missed(lane, save, State.FAILED, e.toString());
        }
        return;
      } catch (StagedShard.Abandoned e) {
        deliveries.missed(lane, save, State.LEFT_OUT, String.valueOf(e.getMessage()));
        return;
      } catch (StaleGeneration e) {
        leaveToOthers();
        deliveries.missed(lane, save, State.FAILED, String.valueOf(e.getMessage()));
        return;
      } catch (IOException | RuntimeException | Error e) {
        // an error too, such as memory that ran out: the lane has later saves to serve
        if (Thread.currentThread().isInterrupted() || attempt >= options.attempts()) {
          deliveries.missed(lane, save, State.FAILED, e.toString());
          return;
        }
        figures.countRetry();
        pause(options.firstPause().toNanos() << Math.min(attempt - 1, 10));
      }
    }
  }

  /** Returns whether the version that the tier has committed is this save. */
  private boolean isMine(Save save) {
    try (CheckpointReader there = lane.tier().read(save.version())) {
      Manifest manifest = there.manifest();
      return manifest.session().equals(options.claim().owner())
          && manifest.shards().stream().anyMatch(save.shard()::isSame);
    } catch (IOException | RuntimeException | Error e) {
      // an error too: without its thread the lane would serve no later save
      LOG.log(System.Logger.Level.WARNING, "The tier {0}: {1}", lane.name(), e.toString());
      return false;
    }
  }

  private void leaveToOthers() {
    life.lock();
    try {
      lane.leaveToOthers();
    } finally {
      life.unlock();
    }
  }

  /** Waits before the next attempt; less when the engine closes meanwhile. */
  private void pause(long nanos) throws InterruptedException {
    life.lock();
    try {
      life.awaitWhile(life::isStarted, nanos);
    } finally {
      life.unlock();
    }
  }
}

package io.deepvm.simulator;

import io.deepvm.market.SpotRules;
import org.jspecify.annotations.Nullable;

/** The work of one simulated run: how much is done, how much of it is safe, and its checkpoints. */
final class WorkDone {

  private static final long NEVER = SpotRules.NEVER;

  private final double work;
  private final Checkpointing checkpointing;
  private final RunTime time;
  private final Ledger ledger;
  private final @Nullable Recorder recorder;

  private double done;
  private double safe;
  private long trainedMs;
  private long trainedAtCheckpointMs;
  private int setbacks;
  private int checkpoints;

  // The checkpoint on its way, if any.
  private long shipEndMs = NEVER;
  private double shipping;
  private long[] shippingUseful = {0, 0, 0};

  WorkDone(Scenario scenario, RunTime time, Ledger ledger, @Nullable Recorder recorder) {
    this.work = scenario.work();
    this.checkpointing = scenario.checkpointing();
    this.time = time;
    this.ledger = ledger;
    this.recorder = recorder;
  }

  double done() {
    return done;
  }

  double safe() {
    return checkpointing.keepsEveryStep() ? done : safe;
  }

  double left() {
    return work - done;
  }

  boolean isDone() {
    return left() <= work * 1e-12;
  }

  int checkpoints() {
    return checkpoints;
  }

  /** Adds what the members do in some milliseconds. */
  void train(long ms, double speed) {
    done = Math.min(work, done + speed * (ms / 1000.0));
    trainedMs += ms;
  }

  /** Returns the milliseconds of training until the next checkpoint begins. */
  long msUntilCheckpoint() {
    if (shipEndMs != NEVER) {
      return NEVER / 4;
    }
    double seconds = checkpointing.intervalSeconds(setbacks, trainedMs / 1000.0);
    if (seconds == Double.POSITIVE_INFINITY) {
      return NEVER / 4;
    }
    long interval = Math.max(1, Math.round(seconds * 1000));
    return Math.max(0, interval - (trainedMs - trainedAtCheckpointMs));
  }

  /** Copies the state for a checkpoint, which replaces one that is still on its way. */
  void copyState() {
    shipEndMs = NEVER;
    shipping = done;
    shippingUseful = ledger.useful();
  }

  /** Starts to send the copied state to where it is safe. */
  void ship() {
    trainedAtCheckpointMs = trainedMs;
    shipEndMs = time.nowMs() + Math.round(checkpointing.shipSeconds() * 1000);
  }

  long shipEndMs() {
    return shipEndMs;
  }

  /** Drops the checkpoint on its way, because a sender was lost. */
  void dropShipping() {
    shipEndMs = NEVER;
  }

  /** Ends the checkpoint that is safe at this moment, if any. */
  void endShipping() {
    if (shipEndMs != time.nowMs()) {
      return;
    }
    shipEndMs = NEVER;
    safe = shipping;
    ledger.keep(shippingUseful);
    checkpoints++;
    if (recorder != null) {
      recorder.checkpointed(time.now());
    }
    record();
  }

  /** Goes back to the state that is safe; the work since then is lost. */
  void fallBack(Pools.Change change) {
    if (checkpointing.keepsEveryStep()) {
      keep();
    } else if (!change.lost() && checkpointing.kept()) {
      saveOnLeaving(change);
    }
    if (done > safe) {
      setbacks++;
    }
    done = safe;
    ledger.lose();
    shipEndMs = NEVER;
    trainedAtCheckpointMs = trainedMs;
  }

  /** Saves the state before the last members are given back; they are paid until it is out. */
  private void saveOnLeaving(Pools.Change change) {
    keep();
    checkpoints++;
    long ms = Math.round(1000 * (checkpointing.stallSeconds() + checkpointing.shipSeconds()));
    ledger.nodes(Charge.SPOT, Activity.STALLED, 1, change.leavingSpotMicros(), ms);
    ledger.nodes(Charge.ON_DEMAND, Activity.STALLED, 1, change.leavingOnDemandMicros(), ms);
  }

  private void keep() {
    safe = done;
    ledger.keep(ledger.useful());
  }

  /** Reports to the recorder how far the run is. */
  void record() {
    if (recorder != null) {
      recorder.progressed(done, safe(), time.now());
    }
  }
}

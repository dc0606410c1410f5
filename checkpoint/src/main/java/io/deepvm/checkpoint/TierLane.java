package io.deepvm.checkpoint;

import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.Tier;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The way into one tier: its queue, the save in progress, and the speed measured last. The engine's
 * lock guards it.
 */
final class TierLane {

  private final Tier tier;
  private final @Nullable TierLane source;
  private final Deque<Save> queue = new ArrayDeque<>();
  private @Nullable Save active;
  private boolean tidyDue;
  private boolean takenOver;
  private double bytesPerSecond;

  /** How far the save in progress is; written without the lock. */
  private volatile long done;

  /**
   * Makes the way into a tier.
   *
   * @param source the lane whose tier this one copies from; null to write from the staged image
   */
  TierLane(Tier tier, @Nullable TierLane source) {
    this.tier = tier;
    this.source = source;
  }

  Tier tier() {
    return tier;
  }

  String name() {
    return tier.name();
  }

  Level level() {
    return tier.level();
  }

  @Nullable TierLane source() {
    return source;
  }

  /** Adds a save at the end of the queue. */
  void add(Save save) {
    queue.add(save);
  }

  void remove(Save save) {
    queue.remove(save);
  }

  /** Empties the queue and returns what was in it, the oldest save first. */
  List<Save> clear() {
    List<Save> waiting = List.copyOf(queue);
    queue.clear();
    return waiting;
  }

  /** Returns whether nothing is queued and no clean-up is due. */
  boolean isIdle() {
    return queue.isEmpty() && !tidyDue;
  }

  /** Takes the oldest save out of the queue, to be written; returns null when there is none. */
  @Nullable Save next() {
    Save save = queue.poll();
    if (save != null) {
      active = save;
      done = 0;
      save.into(this).become(Delivery.State.WRITING);
    }
    return save;
  }

  /** Notes that a save is not in progress any more. */
  void leave(Save save) {
    if (active == save) {
      active = null;
    }
  }

  /** Asks for a clean-up, or takes that back; none takes place once another session took over. */
  void requestTidy(boolean wanted) {
    tidyDue = wanted && !takenOver;
  }

  /** Returns whether a clean-up is due, once. */
  boolean takeTidy() {
    boolean due = tidyDue;
    tidyDue = false;
    return due;
  }

  /** Notes that another session has taken over in the tier, and with it what is kept there. */
  void leaveToOthers() {
    takenOver = true;
  }

  /** Notes how far the save in progress is. */
  void progress(long bytes) {
    done = bytes;
  }

  /** Notes how long the last write took. */
  void measured(long bytes, long nanos) {
    bytesPerSecond = bytes * 1e9 / Math.max(1, nanos);
  }

  /** Gives up the write in progress if only without it the newest save arrives in time. */
  void abandonIfLate(Save newest, Duration lead) {
    Save current = active;
    if (current == null
        || current == newest
        || newest.into(this).state() != Delivery.State.WAITING) {
      return;
    }
    double able = bytesPerSecond * lead.toNanos() / 1e9;
    double rest = Math.max(0, current.shard().bytes() - done);
    if (newest.shard().bytes() <= able && newest.shard().bytes() + rest > able) {
      current.shard().abandon("A revocation is near; step %d goes first.".formatted(newest.step()));
    }
  }
}

package io.deepvm.checkpoint;

import io.deepvm.checkpoint.tier.Tier;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** The way into one tier: a queue, a thread, and what is known of its speed. */
final class Lane {

  final Tier tier;

  /** The lane whose tier this one copies from; null for one that writes from the staged image. */
  final @Nullable Lane source;

  /** What waits, oldest first; guarded by the engine's lock, as the rest is. */
  final Deque<Save> queue = new ArrayDeque<>();

  @Nullable Save active;
  boolean tidy;
  double bytesPerSecond;

  /** How far the active save is. */
  volatile long done;

  /** Whether this generation is announced; used by the lane's own thread alone. */
  boolean fenced;

  Lane(Tier tier, @Nullable Lane source) {
    this.tier = tier;
    this.source = source;
  }
}

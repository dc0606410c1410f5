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

  /** Whether another session has taken over in the tier; guarded by the engine's lock. */
  boolean stale;

  /** Used by the lane's own thread alone. */
  final Retainer retainer;

  Lane(Tier tier, @Nullable Lane source, EngineOptions options) {
    this.tier = tier;
    this.source = source;
    this.retainer = new Retainer(tier, options.job(), options.retention());
  }
}

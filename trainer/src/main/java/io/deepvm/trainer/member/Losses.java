package io.deepvm.trainer.member;

import io.deepvm.checkpoint.SaveInterval;
import java.time.Duration;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The members that were lost since this process began, for who decides how often to save. */
final class Losses {

  private final LongSupplier nanoTime;
  private final long begin;
  private Set<String> members = Set.of();
  private int count;
  private @Nullable SaveInterval followed;

  Losses(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    begin = nanoTime.getAsLong();
  }

  /** Counts those that were members and are not among these. */
  void form(Set<String> now) {
    int gone = (int) members.stream().filter(node -> !now.contains(node)).count();
    members = Set.copyOf(now);
    count += gone;
    if (followed != null) {
      // It counts the time by itself.
      followed.observeRevocations(gone, Duration.ZERO);
    }
  }

  /** Reports all losses so far, and later ones, to an interval that begins now. */
  void follow(SaveInterval interval) {
    interval.observeRevocations(count, Duration.ofNanos(nanoTime.getAsLong() - begin));
    followed = interval;
  }
}

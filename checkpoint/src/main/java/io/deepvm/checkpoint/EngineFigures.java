package io.deepvm.checkpoint;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Counts and times of one engine. */
final class EngineFigures {

  private final LongSupplier nanoTime;
  private @Nullable Long stagedStep;
  private @Nullable Long durableStep;
  private long durableAt;
  private long saves;
  private long skipped;
  private long failed;
  private long tierFailures;
  private long retries;
  private Duration lastStall = Duration.ZERO;
  private Duration totalStall = Duration.ZERO;
  private Duration lastWrite = Duration.ZERO;

  EngineFigures(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  synchronized void countSave() {
    saves++;
  }

  /** Counts a save that ended without a commit. */
  synchronized void countMiss(TicketState end) {
    if (end == TicketState.SKIPPED) {
      skipped++;
    } else if (end == TicketState.FAILED) {
      failed++;
    }
  }

  synchronized void countTierFailure() {
    tierFailures++;
  }

  synchronized void countRetry() {
    retries++;
  }

  synchronized void stalled(Duration stall) {
    lastStall = stall;
    totalStall = totalStall.plus(stall);
  }

  synchronized void staged(long step) {
    stagedStep = step;
  }

  synchronized void committed(Duration write) {
    lastWrite = write;
  }

  /** Notes a commit on a disk or in an archive. */
  synchronized void durable(long step, long stagedAt) {
    Long before = durableStep;
    if (before == null || before < step) {
      durableStep = step;
      durableAt = stagedAt;
    }
  }

  /** Returns the newest step on a disk or in an archive; null when there is none. */
  synchronized @Nullable Long durableStep() {
    return durableStep;
  }

  synchronized Metrics metrics(long bytesInFlight) {
    Long staged = stagedStep;
    Long durable = durableStep;
    return new Metrics(
        saves,
        skipped,
        failed,
        tierFailures,
        retries,
        lastStall,
        totalStall,
        lastWrite,
        bytesInFlight,
        staged,
        durable,
        staged == null || durable == null ? 0 : Math.max(0, staged - durable),
        durable == null ? null : Duration.ofNanos(nanoTime.getAsLong() - durableAt));
  }
}

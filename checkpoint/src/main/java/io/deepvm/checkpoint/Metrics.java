package io.deepvm.checkpoint;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How the engine is doing, at one moment.
 *
 * @param saves the calls to save
 * @param skipped those left out by policy
 * @param failed those that could not be committed anywhere
 * @param tierFailures times a tier gave a save up
 * @param retries times a tier was tried again
 * @param lastStall how long the last save kept training waiting
 * @param totalStall how long all saves did
 * @param lastWrite from staging to the commit, in the tier that committed last
 * @param bytesInFlight what is taken of the arena
 * @param lastStagedStep the newest step in the arena or beyond it; null when none
 * @param lastDurableStep the newest step on a disk or in an archive; null when none
 * @param lagSteps steps between the two
 * @param durableAge how long ago the newest durable state was staged; null when there is none
 */
public record Metrics(
    long saves,
    long skipped,
    long failed,
    long tierFailures,
    long retries,
    Duration lastStall,
    Duration totalStall,
    Duration lastWrite,
    long bytesInFlight,
    @Nullable Long lastStagedStep,
    @Nullable Long lastDurableStep,
    long lagSteps,
    @Nullable Duration durableAge) {

  /** Of an engine that nobody has used. */
  public static final Metrics NONE =
      new Metrics(
          0, 0, 0, 0, 0, Duration.ZERO, Duration.ZERO, Duration.ZERO, 0, null, null, 0, null);

  /** Returns the figures of this engine and of one that came after it: counts add up. */
  public Metrics then(Metrics later) {
    Metrics last = later.saves == 0 ? this : later;
    Metrics kept = later.lastDurableStep == null ? this : later;
    Long staged = later.lastStagedStep == null ? lastStagedStep : later.lastStagedStep;
    Long durable = kept.lastDurableStep;
    return new Metrics(
        saves + later.saves,
        skipped + later.skipped,
        failed + later.failed,
        tierFailures + later.tierFailures,
        retries + later.retries,
        last.lastStall,
        totalStall.plus(later.totalStall),
        last.lastWrite,
        later.bytesInFlight,
        staged,
        durable,
        staged == null || durable == null ? 0 : Math.max(0, staged - durable),
        kept.durableAge);
  }

  /** Returns the same after some time without a save. */
  public Metrics aged(Duration time) {
    Duration age = durableAge;
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
        lastStagedStep,
        lastDurableStep,
        lagSteps,
        age == null ? null : age.plus(time));
  }
}

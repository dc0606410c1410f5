package io.deepvm.checkpoint;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.Version;
import java.time.Duration;

/**
 * How one worker saves.
 *
 * @param claim the generation to save as; all its workers are given the same
 * @param arena the memory for staged states; twice a worker's share lets one be written while the
 *     next is staged
 * @param copyThreads the threads that copy a state into the arena, training's own among them
 * @param attempts how often a tier is tried for one save, with a growing pause between
 * @param blockTimeout how long {@link Behind#BLOCK} lets training wait before the save is skipped
 * @param commitTimeout how long a worker waits for the parts of the others
 * @param expectedUptime the time between revocations to believe before any was seen
 */
public record EngineOptions(
    String job,
    Claim claim,
    int worker,
    int workers,
    DataSize arena,
    int copyThreads,
    Behind behind,
    Retention retention,
    int attempts,
    Duration firstPause,
    Duration blockTimeout,
    Duration commitTimeout,
    Duration expectedUptime) {

  public EngineOptions {
    // checks the names
    Version unused = new Version(job, claim.generation(), 0);
    if (worker < 0 || worker >= workers) {
      throw new BadInput(
          "There is no worker %d of %d.".formatted(worker, workers),
          "Maybe count workers from zero.");
    }
    if (copyThreads < 1 || attempts < 1) {
      throw new BadInput(
          "%d threads to copy and %d attempts are too few.".formatted(copyThreads, attempts),
          "Maybe give at least one of each.");
    }
    if (firstPause.isNegative()
        || blockTimeout.isNegative()
        || commitTimeout.isNegative()
        || expectedUptime.isNegative()
        || expectedUptime.isZero()) {
      throw new BadInput("A duration is negative.", "Maybe leave it at its default.");
    }
  }

  /** Returns the number of the generation. */
  public long generation() {
    return claim.generation();
  }

  /** Returns the defaults for a job of one worker. */
  public static EngineOptions of(String job, Claim claim, DataSize arena) {
    return new EngineOptions(
        job,
        claim,
        0,
        1,
        arena,
        2,
        Behind.COALESCE,
        Retention.DEFAULT,
        3,
        Duration.ofMillis(200),
        Duration.ofMinutes(10),
        Duration.ofMinutes(2),
        Duration.ofHours(3));
  }

  /** Returns the same for one of several workers. */
  public EngineOptions withWorker(int newWorker, int newWorkers) {
    return new EngineOptions(
        job,
        claim,
        newWorker,
        newWorkers,
        arena,
        copyThreads,
        behind,
        retention,
        attempts,
        firstPause,
        blockTimeout,
        commitTimeout,
        expectedUptime);
  }

  /** Returns the same with another number of copying threads. */
  public EngineOptions withCopyThreads(int threads) {
    return new EngineOptions(
        job,
        claim,
        worker,
        workers,
        arena,
        threads,
        behind,
        retention,
        attempts,
        firstPause,
        blockTimeout,
        commitTimeout,
        expectedUptime);
  }

  /** Returns the same with another rule for being behind, and how long blocking may last. */
  public EngineOptions withBehind(Behind rule, Duration timeout) {
    return new EngineOptions(
        job,
        claim,
        worker,
        workers,
        arena,
        copyThreads,
        rule,
        retention,
        attempts,
        firstPause,
        timeout,
        commitTimeout,
        expectedUptime);
  }

  /** Returns the same with another rule for what is kept. */
  public EngineOptions withRetention(Retention rule) {
    return new EngineOptions(
        job,
        claim,
        worker,
        workers,
        arena,
        copyThreads,
        behind,
        rule,
        attempts,
        firstPause,
        blockTimeout,
        commitTimeout,
        expectedUptime);
  }

  /** Returns the same with this many attempts and this pause after the first. */
  public EngineOptions withAttempts(int number, Duration pause) {
    return new EngineOptions(
        job,
        claim,
        worker,
        workers,
        arena,
        copyThreads,
        behind,
        retention,
        number,
        pause,
        blockTimeout,
        commitTimeout,
        expectedUptime);
  }

  /** Returns the same with another time to wait for the other workers. */
  public EngineOptions withCommitTimeout(Duration timeout) {
    return new EngineOptions(
        job,
        claim,
        worker,
        workers,
        arena,
        copyThreads,
        behind,
        retention,
        attempts,
        firstPause,
        blockTimeout,
        timeout,
        expectedUptime);
  }

  /** Returns the same with another belief about the time between revocations. */
  public EngineOptions withExpectedUptime(Duration uptime) {
    return new EngineOptions(
        job,
        claim,
        worker,
        workers,
        arena,
        copyThreads,
        behind,
        retention,
        attempts,
        firstPause,
        blockTimeout,
        commitTimeout,
        uptime);
  }
}

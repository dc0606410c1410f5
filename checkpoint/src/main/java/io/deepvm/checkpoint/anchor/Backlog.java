package io.deepvm.checkpoint.anchor;

import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.StaleGeneration;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.Map;

/** Counts what a background copy has still to do, and how often it has failed. */
final class Backlog {

  /** The newest version of each job that is not copied. */
  private final Map<String, Version> waiting = new HashMap<>();

  private long failures;

  synchronized int waiting() {
    return waiting.size();
  }

  synchronized long failures() {
    return failures;
  }

  synchronized void offered(Version version) {
    waiting.merge(version.job(), version, (a, b) -> a.compareTo(b) < 0 ? b : a);
  }

  /** Notes that a version, and with it all before, need not be copied any more. */
  synchronized void settled(Version version) {
    waiting.computeIfPresent(
        version.job(), (job, newest) -> newest.compareTo(version) <= 0 ? null : newest);
  }

  private synchronized void failed() {
    failures++;
  }

  /** Returns the work, counted. */
  Upkeep.Work counting(Upkeep.Work work) {
    return version -> {
      try {
        work.run(version);
        settled(version);
      } catch (StaleGeneration | NoSuchFileException e) {
        // nobody wants it any more
        settled(version);
        throw e;
      } catch (IOException | RuntimeException e) {
        failed();
        throw e;
      }
    };
  }
}

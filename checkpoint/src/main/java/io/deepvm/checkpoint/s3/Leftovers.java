package io.deepvm.checkpoint.s3;

import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.s3.Bucket.Entry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Versions that were listed without a manifest. Another process may be about to commit one of them,
 * and a store may list that process's mark and manifest late.
 */
final class Leftovers {

  /** A save that takes longer than this to an object store is given up. */
  private static final Duration LONGEST_SAVE = Duration.ofHours(1);

  private final Set<Version> listed = ConcurrentHashMap.newKeySet();
  private final InstantSource clock;

  Leftovers(InstantSource clock) {
    this.clock = clock;
  }

  /** Notes how a version was listed. */
  void note(Version version, boolean committed) {
    if (committed) {
      listed.remove(version);
    } else {
      listed.add(version);
    }
  }

  /** Forgets the versions of a job that are gone. */
  void keepOnly(String job, Set<Version> versions) {
    listed.removeIf(version -> version.job().equals(job) && !versions.contains(version));
  }

  /** Whether the version was last listed without a manifest. */
  boolean has(Version version) {
    return listed.contains(version);
  }

  /**
   * Whether a process of the claim's own session may still be writing the version. Processes of
   * older sessions cannot commit any more.
   */
  boolean mayBeUnderWay(Version version, Claim claim, List<Entry> objects) {
    return has(version)
        && version.generation() >= claim.generation()
        && objects.stream()
            .anyMatch(object -> object.modified().isAfter(clock.instant().minus(LONGEST_SAVE)));
  }
}

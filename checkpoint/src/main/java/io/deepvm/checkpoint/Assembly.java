package io.deepvm.checkpoint;

import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Version;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * Where the workers of one save meet: the second phase of the commit. When every worker's part is
 * there, one of them commits; all learn how it ended.
 */
public interface Assembly {

  /** Writes the manifest into the tier. */
  interface Commit {
    void run(Manifest manifest) throws IOException;
  }

  /**
   * Hands in the part of one worker, whose shard the tier has acknowledged.
   *
   * @param commit is run by exactly one of the workers of this version and tier
   * @return ends when the version is committed in the tier, or fails with the reason
   */
  CompletableFuture<Void> contribute(String tier, WorkerPart part, Commit commit);

  /** Says that a worker's part will not come to a tier, so that the others need not wait. */
  void withdraw(String tier, Version version, int worker, String reason);
}

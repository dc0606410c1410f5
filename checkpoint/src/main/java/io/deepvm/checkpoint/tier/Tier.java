package io.deepvm.checkpoint.tier;

import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.Version;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * A place that keeps checkpoints. Shards come first, the manifest last; a version without a
 * manifest does not exist. Safe for several threads, each with its own writer or reader.
 */
public interface Tier extends Closeable {

  /** Returns the name used in reports; no two tiers of an engine share one. */
  String name();

  /** Returns what a checkpoint committed here survives. */
  Level level();

  /** Returns the highest generation that was claimed for a job; zero when none was. */
  long generation(String job) throws IOException;

  /**
   * Claims a generation for its owner: from now on older ones, and other owners of this number, can
   * neither write nor commit nor delete. To claim it again changes nothing.
   *
   * @throws StaleGeneration when a newer one was claimed before, or this one by another owner
   */
  void claim(String job, Claim claim) throws IOException;

  /** Returns the number of places in this tier that each keep claims by themselves. */
  default int places() {
    return 1;
  }

  /**
   * Claims as {@link #claim} does, and returns the places that have taken the claim down, counted
   * from zero.
   */
  default Set<Integer> claimAtEach(String job, Claim claim) throws IOException {
    claim(job, claim);
    return Set.of(0);
  }

  /**
   * Claims the version's generation if need be, begins or goes on with the version, and keeps it
   * from being deleted until the writer is closed. Several writers of one owner, also of several
   * processes, may bring the shards of one version.
   *
   * @throws StaleGeneration when the generation cannot be claimed
   * @throws java.nio.file.FileAlreadyExistsException when the version is committed
   */
  CheckpointWriter write(Version version, UUID owner) throws IOException;

  /** Opens a committed version and keeps it from being deleted until the reader is closed. */
  CheckpointReader read(Version version) throws IOException;

  /** Returns everything kept for a job, committed or not, in any order. */
  List<Holding> list(String job) throws IOException;

  /**
   * Returns the parts of this tier that could not be reached when they were last needed: what they
   * keep is missing from the list.
   */
  default List<String> unreachable() {
    return List.of();
  }

  /**
   * Deletes a version, the manifest first, by order of a user, who needs no claim.
   *
   * @return false when it stays: it is in use, or behind memory the last one on the disk
   */
  boolean delete(Version version) throws IOException;

  /**
   * Deletes a version for a session that tidies up.
   *
   * @return false when it stays: it is in use, or behind memory the last one on the disk
   * @throws StaleGeneration when the session's generation is no longer the newest
   */
  boolean delete(Version version, Claim claim) throws IOException;

  /**
   * Returns whether this place itself compares all bytes of a shard with a checksum before it
   * acknowledges them, so that they need not be read back before older versions are deleted.
   */
  default boolean checksOnArrival() {
    return false;
  }
}

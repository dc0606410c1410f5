package io.deepvm.checkpoint.tier;

import io.deepvm.checkpoint.format.Version;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/**
 * A place that keeps checkpoints. Shards come first, the manifest last; a version without a
 * manifest does not exist. Safe for several threads, each with its own writer or reader.
 */
public interface Tier extends Closeable {

  /** Returns the name used in reports; no two tiers of an engine share one. */
  String name();

  /** Returns what a checkpoint committed here survives. */
  Level level();

  /** Returns the highest generation that has been announced for a job; zero when none was. */
  long generation(String job) throws IOException;

  /**
   * Announces a generation: from now on older ones can neither write nor commit.
   *
   * @throws StaleGeneration when a newer one was announced before
   */
  void fence(String job, long generation) throws IOException;

  /**
   * Begins or goes on with a version and keeps it from being deleted until the writer is closed.
   * Several writers, also of several processes, may bring the shards of one version.
   *
   * @throws StaleGeneration when a newer generation was announced
   * @throws java.nio.file.FileAlreadyExistsException when the version is committed
   */
  CheckpointWriter write(Version version) throws IOException;

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
   * Deletes a version, the manifest first.
   *
   * @return false when it stays: it is in use, or behind memory the last one on the disk
   */
  boolean delete(Version version) throws IOException;
}

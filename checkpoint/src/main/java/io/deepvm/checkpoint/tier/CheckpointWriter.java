package io.deepvm.checkpoint.tier;

import io.deepvm.checkpoint.format.Manifest;
import java.io.Closeable;
import java.io.IOException;
import java.util.Set;

/** Brings one version into a tier. Closing without a commit leaves the sealed shards in place. */
public interface CheckpointWriter extends Closeable {

  /**
   * Begins a shard of exactly this many bytes, or goes on with one that was broken off; {@link
   * ShardWriter#position} says where. A sealed shard begins anew.
   *
   * @throws java.nio.file.FileAlreadyExistsException when the version is committed: its shards are
   *     never replaced, also when they are sealed after the commit
   */
  ShardWriter shard(String name, long bytes) throws IOException;

  /** Returns the shards of this version that the tier has acknowledged, from any writer. */
  Set<String> sealed() throws IOException;

  /**
   * Makes the version exist. Afterwards it is listed, and stays whatever crashes. To commit the
   * same save again changes nothing.
   *
   * @param held the shards of the manifest that this tier has to hold, where it shares the version
   *     with others
   * @throws IOException when a shard is missing, not sealed or not of the size in the manifest
   * @throws StaleGeneration when the generation is no longer the newest
   * @throws java.nio.file.FileAlreadyExistsException when another save is committed
   */
  void commit(Manifest manifest, Set<String> held) throws IOException;

  /** Makes the version exist, all shards being held here. */
  default void commit(Manifest manifest) throws IOException {
    commit(manifest, manifest.shardNames());
  }
}

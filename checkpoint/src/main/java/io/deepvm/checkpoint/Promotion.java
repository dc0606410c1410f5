package io.deepvm.checkpoint;

import io.deepvm.checkpoint.format.CorruptCheckpoint;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Shard;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.CheckpointReader;
import io.deepvm.checkpoint.tier.CheckpointWriter;
import io.deepvm.checkpoint.tier.Holding;
import io.deepvm.checkpoint.tier.ShardWriter;
import io.deepvm.checkpoint.tier.Tier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/** Copies a committed checkpoint from one tier to another, checking every chunk on the way. */
public final class Promotion {

  /** Begins the copy where it is to be. */
  public interface Destination {
    CheckpointWriter write(Version version) throws IOException;
  }

  private Promotion() {}

  /** Returns once the version is committed in the other tier, for its owner. */
  public static void copy(Version version, UUID owner, Tier from, Tier to) throws IOException {
    try (CheckpointReader reader = from.read(version);
        CheckpointWriter writer = to.write(version, owner)) {
      for (Shard shard : reader.manifest().shards()) {
        copy(shard, reader, writer);
      }
      writer.commit(reader.manifest());
    }
  }

  /**
   * Copies the shards that one of several sharing tiers has. The one that brings the last shard to
   * a common archive commits there.
   *
   * @param to the way into the other tier
   * @param alone whether the other tier is to exist with these shards only
   * @return whether the version is committed in the other tier
   */
  public static boolean share(Version version, Tier from, Destination to, boolean alone)
      throws IOException {
    try (CheckpointReader reader = from.read(version);
        CheckpointWriter writer = to.write(version)) {
      Manifest manifest = reader.manifest();
      Set<String> held = new HashSet<>(manifest.shardNames());
      for (Holding holding : from.list(version.job())) {
        if (holding.version().equals(version)) {
          held.retainAll(holding.shards());
        }
      }
      Set<String> there = writer.sealed();
      for (Shard shard : manifest.shards()) {
        if (held.contains(shard.name()) && !there.contains(shard.name())) {
          copy(shard, reader, writer);
        }
      }
      if (!alone && !writer.sealed().containsAll(manifest.shardNames())) {
        return false;
      }
      writer.commit(manifest, alone ? held : manifest.shardNames());
      return true;
    } catch (FileAlreadyExistsException e) {
      return true;
    }
  }

  private static void copy(Shard shard, CheckpointReader reader, CheckpointWriter writer)
      throws IOException {
    int chunkBytes = shard.checksums().chunkBytes();
    ByteBuffer chunk = ByteBuffer.allocateDirect((int) Math.min(chunkBytes, shard.bytes()));
    try (ShardWriter out = writer.shard(shard.name(), shard.bytes())) {
      long done = out.position();
      for (int i = (int) (done / chunkBytes); i < shard.checksums().chunks().size(); i++) {
        long at = (long) i * chunkBytes;
        chunk.clear().limit((int) Math.min(chunkBytes, shard.bytes() - at));
        reader.read(shard.name(), at, chunk);
        if (!shard.checksums().matches(i, chunk.flip())) {
          throw new CorruptCheckpoint(
              "Chunk %d of %s is not what was saved.".formatted(i, shard.name()));
        }
        out.write(chunk.position((int) Math.max(0, done - at)));
      }
      out.seal();
    }
  }
}

package io.deepvm.checkpoint;

import io.deepvm.checkpoint.format.CorruptCheckpoint;
import io.deepvm.checkpoint.format.Shard;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.CheckpointReader;
import io.deepvm.checkpoint.tier.CheckpointWriter;
import io.deepvm.checkpoint.tier.ShardWriter;
import io.deepvm.checkpoint.tier.Tier;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Copies a committed checkpoint from one tier to another, checking every chunk on the way. */
public final class Promotion {

  private Promotion() {}

  /** Returns once the version is committed in the other tier. */
  public static void copy(Version version, Tier from, Tier to) throws IOException {
    try (CheckpointReader reader = from.read(version);
        CheckpointWriter writer = to.write(version)) {
      for (Shard shard : reader.manifest().shards()) {
        copy(shard, reader, writer);
      }
      writer.commit(reader.manifest());
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

package io.deepvm.checkpoint.tier;

import io.deepvm.checkpoint.format.Manifest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;

/** Reads the shards of one version from memory, and those that were spilled from where they are. */
final class MemoryReader implements CheckpointReader {

  private final MemoryTier tier;
  private final MemoryVersion entry;
  private final Manifest manifest;
  private final @Nullable CheckpointReader rest;
  private boolean closed;

  MemoryReader(
      MemoryTier tier, MemoryVersion entry, Manifest manifest, @Nullable CheckpointReader rest) {
    this.tier = tier;
    this.entry = entry;
    this.manifest = manifest;
    this.rest = rest;
  }

  @Override
  public Manifest manifest() {
    return manifest;
  }

  @Override
  public void read(String shard, long position, ByteBuffer into) throws IOException {
    MemoryVersion.Piece piece;
    synchronized (tier) {
      piece = entry.pieces.get(shard);
    }
    if (piece != null && piece.sealed) {
      if (position < 0 || position > piece.image.bytes() - into.remaining()) {
        throw new IOException("%s has no byte %d.".formatted(shard, position + into.remaining()));
      }
      piece.image.get(position, into);
    } else if (rest != null) {
      rest.read(shard, position, into);
    } else {
      throw new NoSuchFileException(shard);
    }
  }

  @Override
  public void close() throws IOException {
    synchronized (tier) {
      if (closed) {
        return;
      }
      closed = true;
      entry.users--;
    }
    if (rest != null) {
      rest.close();
    }
  }
}

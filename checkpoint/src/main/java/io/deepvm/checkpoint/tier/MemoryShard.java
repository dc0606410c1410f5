package io.deepvm.checkpoint.tier;

import io.deepvm.checkpoint.format.Version;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Writes a shard into memory; an attempt that another one goes on from may not write any more. */
final class MemoryShard implements ShardWriter {

  private final MemoryTier tier;
  private final Version version;
  private final String shard;
  private final MemoryVersion entry;
  private final MemoryVersion.Piece piece;

  MemoryShard(
      MemoryTier tier,
      Version version,
      String shard,
      MemoryVersion entry,
      MemoryVersion.Piece piece) {
    this.tier = tier;
    this.version = version;
    this.shard = shard;
    this.entry = entry;
    this.piece = piece;
    piece.writer = this;
  }

  @Override
  public long position() {
    return piece.position;
  }

  private void checkMine() throws IOException {
    if (piece.writer != this) {
      throw new IOException("Another attempt writes %s.".formatted(shard));
    }
  }

  @Override
  public void write(ByteBuffer bytes) throws IOException {
    synchronized (piece) {
      checkMine();
      int length = bytes.remaining();
      if (length > piece.image.bytes() - piece.position) {
        throw new IOException(
            "%s was announced with %d bytes and gets more.".formatted(shard, piece.image.bytes()));
      }
      piece.image.put(piece.position, bytes, bytes.position(), length);
      bytes.position(bytes.limit());
      piece.position += length;
    }
  }

  @Override
  public void seal() throws IOException {
    if (piece.position != piece.image.bytes()) {
      throw new IOException(
          "%s has %d of %d bytes.".formatted(shard, piece.position, piece.image.bytes()));
    }
    synchronized (tier) {
      entry.checkOpen(version);
      checkMine();
      piece.writer = null;
      piece.sealed = true;
    }
  }

  @Override
  public void close() {}
}

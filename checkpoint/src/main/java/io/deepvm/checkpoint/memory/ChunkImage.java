package io.deepvm.checkpoint.memory;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;

/** An image over chunks of a pool, in this process's own memory. */
public final class ChunkImage implements Image {

  private final ChunkPool pool;
  private final List<ByteBuffer> chunks;
  private final int chunkBytes;
  private final long bytes;
  private boolean released;

  ChunkImage(ChunkPool pool, List<ByteBuffer> chunks, int chunkBytes, long bytes) {
    this.pool = pool;
    this.chunks = chunks;
    this.chunkBytes = chunkBytes;
    this.bytes = bytes;
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public void put(long position, ByteBuffer source, int from, int length) {
    Objects.checkFromIndexSize(position, length, bytes);
    long at = position;
    int next = from;
    int rest = length;
    while (rest > 0) {
      int inChunk = (int) (at % chunkBytes);
      int piece = Math.min(rest, chunkBytes - inChunk);
      chunks.get((int) (at / chunkBytes)).put(inChunk, source, next, piece);
      at += piece;
      next += piece;
      rest -= piece;
    }
  }

  /** Fills the buffer's remaining bytes from a position. */
  public void get(long position, ByteBuffer into) {
    Objects.checkFromIndexSize(position, into.remaining(), bytes);
    long at = position;
    while (into.hasRemaining()) {
      ByteBuffer view = view(at, into.remaining());
      at += view.remaining();
      into.put(view);
    }
  }

  @Override
  public ByteBuffer view(long position, long wanted) {
    int inChunk = (int) (position % chunkBytes);
    long piece = Math.min(Math.min(wanted, chunkBytes - inChunk), bytes - position);
    return chunks.get((int) (position / chunkBytes)).slice(inChunk, (int) piece).asReadOnlyBuffer();
  }

  @Override
  public synchronized void close() {
    if (!released) {
      released = true;
      pool.release(chunks);
    }
  }
}

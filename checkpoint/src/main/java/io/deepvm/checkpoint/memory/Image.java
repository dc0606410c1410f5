package io.deepvm.checkpoint.memory;

import java.io.Closeable;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;

/** A run of bytes of any length over chunks of a pool; closing gives the chunks back. */
public final class Image implements Closeable {

  private final ChunkPool pool;
  private final List<ByteBuffer> chunks;
  private final int chunkBytes;
  private final long bytes;
  private boolean released;

  Image(ChunkPool pool, List<ByteBuffer> chunks, int chunkBytes, long bytes) {
    this.pool = pool;
    this.chunks = chunks;
    this.chunkBytes = chunkBytes;
    this.bytes = bytes;
  }

  /** Returns the length. */
  public long bytes() {
    return bytes;
  }

  /**
   * Copies bytes of the source, whose position stays, so that several threads may do so at once.
   */
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

  /** Returns bytes from a position on: as many as lie in one chunk, at most those wanted. */
  public ByteBuffer view(long position, long wanted) {
    int inChunk = (int) (position % chunkBytes);
    long piece = Math.min(Math.min(wanted, chunkBytes - inChunk), bytes - position);
    return chunks.get((int) (position / chunkBytes)).slice(inChunk, (int) piece).asReadOnlyBuffer();
  }

  /** Gives the memory back; only once, however often it is called. */
  @Override
  public synchronized void close() {
    if (!released) {
      released = true;
      pool.release(chunks);
    }
  }
}

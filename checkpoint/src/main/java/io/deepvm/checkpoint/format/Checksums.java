package io.deepvm.checkpoint.format;

import io.deepvm.base.Crc32c;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/** CRC32C of every chunk of a file, and of the whole file. */
public record Checksums(int chunkBytes, List<Long> chunks, long whole) {

  /** The size of a chunk: small enough to stay in the cache between reading and checking. */
  public static final int CHUNK = 1 << 18;

  private static final int LARGEST_CHUNK = 64 << 20;

  public Checksums {
    chunks = List.copyOf(chunks);
    if (chunkBytes < 1 || chunkBytes > LARGEST_CHUNK) {
      throw new IllegalArgumentException("Chunks of %d bytes.".formatted(chunkBytes));
    }
  }

  /** Returns the number of chunks in a file of this many bytes. */
  public long chunksIn(long bytes) {
    return bytes / chunkBytes + (bytes % chunkBytes == 0 ? 0 : 1);
  }

  /** Returns whether these bytes are those of the chunk; moves the buffer to its end. */
  public boolean matches(int chunk, ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return crc.getValue() == chunks.get(chunk);
  }

  /** Computes checksums of bytes that come in pieces. */
  public static final class Builder {

    private final CRC32C crc = new CRC32C();
    private final List<Long> chunks = new ArrayList<>();
    private int filled;

    /** Takes in the buffer's remaining bytes and moves it to its end. */
    public void update(ByteBuffer bytes) {
      int limit = bytes.limit();
      while (bytes.hasRemaining()) {
        int piece = Math.min(CHUNK - filled, bytes.remaining());
        bytes.limit(bytes.position() + piece);
        crc.update(bytes);
        bytes.limit(limit);
        filled += piece;
        if (filled == CHUNK) {
          endChunk();
        }
      }
    }

    private void endChunk() {
      chunks.add(crc.getValue());
      crc.reset();
      filled = 0;
    }

    /** Returns the checksums of all bytes taken in. */
    public Checksums build() {
      int rest = filled;
      if (rest > 0) {
        endChunk();
      }
      int whole = 0;
      for (int i = 0; i < chunks.size(); i++) {
        boolean isShort = rest > 0 && i == chunks.size() - 1;
        whole = Crc32c.join(whole, chunks.get(i).intValue(), isShort ? rest : CHUNK);
      }
      return new Checksums(CHUNK, chunks, Integer.toUnsignedLong(whole));
    }
  }
}

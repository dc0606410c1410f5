package io.deepvm.transport;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Where the bytes of a transfer come from; they must not change before the transfer has ended. */
public interface Source extends AutoCloseable {

  /** Returns how many bytes there are. */
  long length();

  /**
   * Returns buffers whose remaining bytes are exactly those at this place. They are used before the
   * next call; the scratch buffer may be filled and returned, and has room for the length.
   */
  ByteBuffer[] read(long offset, int length, ByteBuffer scratch) throws IOException;

  /** Called once when the transfer has ended and the bytes are no longer needed. */
  @Override
  default void close() {}

  /** The remaining bytes of these buffers, one after the other; direct ones are not copied. */
  static Source of(ByteBuffer... buffers) {
    Segments segments = new Segments(buffers);
    return new Source() {
      @Override
      public long length() {
        return segments.length();
      }

      @Override
      public ByteBuffer[] read(long offset, int length, ByteBuffer scratch) {
        return segments.slice(offset, length);
      }
    };
  }

  /** A part of a file, which stays open; closing it is up to the caller. */
  static Source of(FileChannel file, long position, long length) {
    return new Source() {
      @Override
      public long length() {
        return length;
      }

      @Override
      public ByteBuffer[] read(long offset, int wanted, ByteBuffer scratch) throws IOException {
        scratch.clear().limit(wanted);
        while (scratch.hasRemaining()) {
          if (file.read(scratch, position + offset + scratch.position()) < 0) {
            throw new EOFException("The file ends before byte " + (position + length) + ".");
          }
        }
        return new ByteBuffer[] {scratch.flip()};
      }
    };
  }
}

package io.deepvm.checkpoint.memory;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A run of bytes of any length in an arena; closing gives the room back, once. */
public interface Image extends Closeable {

  /** Returns the length. */
  long bytes();

  /**
   * Copies bytes of the source, whose position stays, so that several threads may do so at once.
   */
  void put(long position, ByteBuffer source, int from, int length) throws IOException;

  /**
   * Returns some bytes from a position on, at least one and at most those wanted; they are there
   * until this thread asks again.
   */
  ByteBuffer view(long position, long wanted) throws IOException;

  @Override
  void close();
}

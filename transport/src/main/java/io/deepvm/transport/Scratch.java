package io.deepvm.transport;

import java.nio.ByteBuffer;

/** A direct buffer for one thread, made when it is first needed. */
final class Scratch {

  private ByteBuffer buffer = Payload.EMPTY;

  /** Returns the buffer, cleared, with room for this many bytes. */
  ByteBuffer ofAtLeast(int bytes) {
    if (buffer.capacity() < bytes) {
      buffer = ByteBuffer.allocateDirect(bytes);
    }
    return buffer.clear();
  }
}

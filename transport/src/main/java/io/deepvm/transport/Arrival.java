package io.deepvm.transport;

/**
 * Receives each piece of bytes that has come into buffers, while they are still in the processor's
 * cache.
 */
public interface Arrival {

  /**
   * The bytes at this place are here and have the right checksum. Called on the thread that reads
   * the connection, in the order of offsets, so it must be short; a transfer that goes on after an
   * interruption may report some bytes again.
   */
  void arrived(long offset, int length);
}

package io.deepvm.transport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Where received bytes go when they have no place in memory. */
@FunctionalInterface
public interface Sink {

  /**
   * Takes the verified bytes at this offset of the transfer, in order, one call at a time; the
   * buffer is only lent for the call, which may take its time: the sender waits for credit.
   */
  void write(long offset, ByteBuffer bytes) throws IOException;

  /** Writes into a file from this position on; forcing and closing it is up to the handler. */
  static Sink to(FileChannel file, long position) {
    return (offset, bytes) -> {
      long at = position + offset;
      while (bytes.hasRemaining()) {
        at += file.write(bytes, at);
      }
    };
  }
}

package io.deepvm.transport;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A chunk that has come.
 *
 * @param crc32c the checksum of the bytes as they came
 * @param buffer a buffer of the budget with the bytes; null if they are in the receiver's memory
 */
record ReceivedChunk(long offset, int length, int crc32c, @Nullable ByteBuffer buffer) {

  /** Reads the payload of a frame into the memory where it belongs. */
  static ReceivedChunk read(Frame frame, Connection connection, Segments targets)
      throws IOException {
    int sum = connection.reader().readSummed(targets.slice(frame.offset(), frame.length()));
    return new ReceivedChunk(frame.offset(), frame.length(), sum, null);
  }

  /** Reads the payload of a frame into a buffer of the budget. */
  static ReceivedChunk read(Frame frame, Connection connection, Budget budget) throws IOException {
    ByteBuffer buffer = budget.borrow();
    boolean read = false;
    try {
      int sum = connection.reader().readSummed(buffer.limit(frame.length()));
      read = true;
      return new ReceivedChunk(frame.offset(), frame.length(), sum, buffer.flip());
    } finally {
      if (!read) {
        budget.giveBack(buffer);
      }
    }
  }
}

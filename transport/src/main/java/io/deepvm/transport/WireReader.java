package io.deepvm.transport;

import io.deepvm.base.Crc32c;
import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;

/** Reads frames and their payloads from a wire, on the thread of the connection's reader. */
final class WireReader {

  private static final int SKIP_BYTES = 64 << 10;

  /** The most that is read before it is summed: this much stays in the cache of a core. */
  private static final int READ_BYTES = 256 << 10;

  private final TransportWire wire;
  private final LongSupplier nanoClock;
  private final ByteBuffer head = ByteBuffer.allocateDirect(Frame.BYTES);
  private final Scratch scratch = new Scratch();
  private volatile long readAt;

  WireReader(TransportWire wire, LongSupplier nanoClock) {
    this.wire = wire;
    this.nanoClock = nanoClock;
    this.readAt = nanoClock.getAsLong();
  }

  /** Returns when bytes came last. */
  long readAt() {
    return readAt;
  }

  /** Notes that bytes came that were not read here. */
  void touch() {
    readAt = nanoClock.getAsLong();
  }

  /** Reads the head of the next frame. */
  Frame frame(Limits limits) throws IOException {
    fill(head.clear());
    return Frame.decode(head.flip(), limits);
  }

  /** Reads and checks the payload of a control frame. */
  ByteBuffer payload(Frame frame) throws IOException {
    ByteBuffer payload = ByteBuffer.allocate(frame.length());
    fill(payload);
    payload.flip();
    if (Crc32c.of(payload) != frame.crc32c()) {
      throw new ProtocolException("A control frame is damaged.");
    }
    return payload;
  }

  /** Fills the buffers and returns the checksum, worked out while the bytes are in the cache. */
  int readSummed(ByteBuffer... into) throws IOException {
    CRC32C sum = new CRC32C();
    for (ByteBuffer buffer : into) {
      ByteBuffer fresh = buffer.duplicate();
      int end = buffer.limit();
      while (buffer.position() < end) {
        buffer.limit(Math.min(end, buffer.position() + READ_BYTES));
        readSome(buffer);
        sum.update(fresh.limit(buffer.position()));
      }
    }
    return (int) sum.getValue();
  }

  /** Reads bytes that nobody needs. */
  void skip(int bytes) throws IOException {
    for (int left = bytes; left > 0; ) {
      ByteBuffer waste = scratch.ofAtLeast(SKIP_BYTES).limit(Math.min(left, SKIP_BYTES));
      left -= waste.remaining();
      fill(waste);
    }
  }

  private void fill(ByteBuffer into) throws IOException {
    while (into.hasRemaining()) {
      readSome(into);
    }
  }

  private void readSome(ByteBuffer into) throws IOException {
    if (wire.read(into) < 0) {
      throw new EOFException("The other side closed the connection.");
    }
    readAt = nanoClock.getAsLong();
  }
}

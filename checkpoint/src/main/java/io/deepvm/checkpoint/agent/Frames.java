package io.deepvm.checkpoint.agent;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** JSON messages over a socket, each after its length in four bytes, big endian. */
final class Frames implements Closeable {

  /** Enough to name a hundred thousand tensors. */
  static final int MOST_BYTES = 16 << 20;

  static final ObjectMapper JSON = new ObjectMapper();

  private final SocketChannel channel;
  private final Selector selector;
  private final SelectionKey key;
  private final Duration rest;

  /**
   * Speaks over a connected channel, which it closes.
   *
   * @param rest how long a message may take once it has begun
   */
  Frames(SocketChannel channel, Duration rest) throws IOException {
    this.channel = channel;
    this.rest = rest;
    channel.configureBlocking(false);
    selector = Selector.open();
    key = channel.register(selector, SelectionKey.OP_READ);
  }

  /**
   * Returns the next message; null when the other side has ended.
   *
   * @param first how long to wait for it to begin; null as long as it takes
   * @throws ProtocolException when it is not a JSON object of at most {@link #MOST_BYTES}
   */
  @Nullable ObjectNode read(@Nullable Duration first) throws IOException {
    ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
    if (!fill(length, first)) {
      return null;
    }
    int bytes = length.getInt(0);
    if (bytes < 2 || bytes > MOST_BYTES) {
      throw new ProtocolException(
          "A message of %d bytes is not one of 2 to %d."
              .formatted(Integer.toUnsignedLong(bytes), MOST_BYTES));
    }
    ByteBuffer body = ByteBuffer.allocate(bytes);
    if (!fill(body, rest)) {
      throw new EOFException("The message breaks off.");
    }
    try {
      JsonNode read = JSON.readTree(body.array());
      if (read instanceof ObjectNode message) {
        return message;
      }
    } catch (JsonProcessingException e) {
      // said below
    }
    throw new ProtocolException("The message is not a JSON object.");
  }

  /** Fills the buffer; false when the other side has ended before its first byte. */
  private boolean fill(ByteBuffer into, @Nullable Duration first) throws IOException {
    Deadline deadline = new Deadline(first);
    while (into.hasRemaining()) {
      boolean untouched = into.position() == 0;
      int got = channel.read(into);
      if (got < 0) {
        if (untouched) {
          return false;
        }
        throw new EOFException("The message breaks off.");
      }
      if (got == 0) {
        await(SelectionKey.OP_READ, deadline);
      } else if (untouched) {
        deadline = new Deadline(rest);
      }
    }
    return true;
  }

  /** Sends a message. */
  void write(ObjectNode message) throws IOException {
    byte[] body = JSON.writeValueAsBytes(message);
    ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + body.length);
    frame.putInt(body.length).put(body).flip();
    Deadline deadline = new Deadline(rest);
    while (frame.hasRemaining()) {
      if (channel.write(frame) == 0) {
        await(SelectionKey.OP_WRITE, deadline);
      }
    }
  }

  private void await(int what, Deadline deadline) throws IOException {
    long millis = deadline.millis();
    if (millis <= 0) {
      throw new SocketTimeoutException("The other side is silent.");
    }
    try {
      key.interestOps(what);
      selector.select(millis);
      selector.selectedKeys().clear();
    } catch (ClosedSelectorException | CancelledKeyException e) {
      throw new AsynchronousCloseException();
    }
  }

  /** The end of a wait. */
  private static final class Deadline {

    private static final long ROUND = 60_000;

    private final boolean none;
    private final long end;

    Deadline(@Nullable Duration wait) {
      none = wait == null;
      end = wait == null ? 0 : System.nanoTime() + wait.toNanos();
    }

    /** Returns the milliseconds left, rounded up. */
    long millis() {
      return none ? ROUND : Math.floorDiv(end - System.nanoTime() + 999_999, 1_000_000L);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      selector.close();
    }
  }
}

package io.deepvm.transport;

import io.deepvm.base.Crc32c;
import java.net.ProtocolException;
import java.nio.ByteBuffer;

/**
 * The head of everything on the wire after the handshake: 32 bytes, most significant byte first,
 * with a checksum of its own so that a damaged length is never believed.
 *
 * @param stream the number of the transfer, request or fetch on this connection
 * @param offset a place in the transfer; its meaning depends on the type
 * @param length how many bytes follow
 * @param crc32c of the bytes that follow; 0 with DATA, whose checksum comes with the SUM after it
 */
record Frame(Type type, int stream, long offset, int length, int crc32c) {

  static final int BYTES = 32;

  private static final int MAGIC = 0x44565431;
  private static final int CHECKED_BYTES = BYTES - Integer.BYTES;

  /** The kinds of frames, with their numbers on the wire. */
  enum Type {
    START(0),
    ACCEPT(1),
    DATA(2),
    ACK(3),
    RETRY(4),
    END(5),
    DONE(6),
    ABORT(7),
    REQUEST(8),
    ANSWER(9),
    REFUSAL(10),
    FETCH(11),
    PING(12),
    BYE(13),
    SUM(14);

    private final int number;

    Type(int number) {
      this.number = number;
    }

    private static final Type[] ALL = values();

    /** Returns how long the payload may be. */
    int mostBytes(Limits limits) {
      return switch (this) {
        case DATA -> limits.chunkBytes();
        case REQUEST, ANSWER -> limits.messageBytes();
        case START -> Payload.START_BYTES + 2 * limits.nameBytes();
        case FETCH -> limits.nameBytes();
        case DONE, ABORT, REFUSAL, BYE -> Payload.REASON_BYTES + 8;
        case ACCEPT, ACK, RETRY, END -> 16;
        case PING, SUM -> 0;
      };
    }
  }

  /** Returns the frame before this payload. */
  static Frame of(Type type, int stream, long offset, ByteBuffer... payload) {
    int length = 0;
    for (ByteBuffer buffer : payload) {
      length += buffer.remaining();
    }
    return new Frame(type, stream, offset, length, Crc32c.of(payload));
  }

  /** Writes it at the buffer's position. */
  void encode(ByteBuffer to) {
    int start = to.position();
    to.putInt(MAGIC).putInt(type.number << 24).putInt(stream).putInt(length);
    to.putLong(offset).putInt(crc32c);
    to.putInt(Crc32c.of(to.duplicate().flip().position(start)));
  }

  /** Reads one from the buffer's position on and refuses what is damaged, unknown or too long. */
  static Frame decode(ByteBuffer from, Limits limits) throws ProtocolException {
    int start = from.position();
    int expected = Crc32c.of(from.duplicate().limit(start + CHECKED_BYTES));
    int magic = from.getInt();
    int kind = from.getInt();
    int stream = from.getInt();
    int length = from.getInt();
    long offset = from.getLong();
    int crc32c = from.getInt();
    if (from.getInt() != expected || magic != MAGIC) {
      throw new ProtocolException("A frame head is damaged.");
    }
    int number = kind >>> 24;
    if ((kind & 0xffffff) != 0 || number >= Type.ALL.length) {
      throw new ProtocolException("A frame is of unknown kind " + Integer.toHexString(kind) + ".");
    }
    Type type = Type.ALL[number];
    int most = type.mostBytes(limits);
    if (length < 0 || length > most) {
      throw new ProtocolException(
          "A frame of kind "
              + type
              + " has "
              + Integer.toUnsignedString(length)
              + " bytes; at most "
              + most
              + " are taken.");
    }
    if (offset < 0) {
      throw new ProtocolException("A frame has the negative offset " + offset + ".");
    }
    return new Frame(type, stream, offset, length, crc32c);
  }
}

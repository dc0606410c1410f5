package io.deepvm.transport;

import java.net.ProtocolException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;

/** What follows the head of a control frame, to bytes and back. */
final class Payload {

  /** A START without its two names. */
  static final int START_BYTES = 16 + 8 + 8 + 4 + 2 + 2;

  /** Longer reasons are cut. */
  static final int REASON_BYTES = 1024;

  static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

  /**
   * The sender's announcement.
   *
   * @param fetch the number of the fetch it answers, or 0
   */
  record Start(TransferHeader header, int fetch) {

    ByteBuffer encode() {
      byte[] group = header.group().bytes();
      byte[] name = header.name().bytes();
      return ByteBuffer.allocate(START_BYTES + group.length + name.length)
          .putLong(header.id().getMostSignificantBits())
          .putLong(header.id().getLeastSignificantBits())
          .putLong(header.generation())
          .putLong(header.length())
          .putInt(fetch)
          .putShort((short) group.length)
          .put(group)
          .putShort((short) name.length)
          .put(name)
          .flip();
    }

    static Start decode(ByteBuffer from, Limits limits) throws ProtocolException {
      try {
        UUID id = new UUID(from.getLong(), from.getLong());
        long generation = from.getLong();
        long length = from.getLong();
        int fetch = from.getInt();
        Name group = name(from, limits);
        Name name = name(from, limits);
        if (generation < 0 || length < 0 || from.hasRemaining()) {
          throw new ProtocolException("A transfer is announced with fields out of range.");
        }
        return new Start(new TransferHeader(id, group, generation, name, length), fetch);
      } catch (BufferUnderflowException e) {
        throw tooShort(e);
      }
    }

    private static Name name(ByteBuffer from, Limits limits) throws ProtocolException {
      int length = from.getShort() & 0xffff;
      if (length > limits.nameBytes() || length > from.remaining()) {
        throw new ProtocolException(
            "A name has " + length + " bytes; at most " + limits.nameBytes() + " are taken.");
      }
      byte[] bytes = new byte[length];
      from.get(bytes);
      return Name.of(bytes);
    }
  }

  /**
   * The receiver's permission to send up to the limit, in such chunks; the offset is the frame's.
   */
  record Accept(long limit, int prefixCrc32c, int chunkBytes) {

    ByteBuffer encode() {
      return ByteBuffer.allocate(16).putLong(limit).putInt(prefixCrc32c).putInt(chunkBytes).flip();
    }

    static Accept decode(ByteBuffer from) throws ProtocolException {
      try {
        return new Accept(from.getLong(), from.getInt(), from.getInt());
      } catch (BufferUnderflowException e) {
        throw tooShort(e);
      }
    }
  }

  /** The receiver's further permission; the offset up to which the checksum goes is the frame's. */
  record Credit(long limit, int crc32c) {

    ByteBuffer encode() {
      return ByteBuffer.allocate(12).putLong(limit).putInt(crc32c).flip();
    }

    static Credit decode(ByteBuffer from) throws ProtocolException {
      try {
        return new Credit(from.getLong(), from.getInt());
      } catch (BufferUnderflowException e) {
        throw tooShort(e);
      }
    }
  }

  /** The receiver's last word. */
  record Done(TransferOutcome.Status status, int crc32c, String reason) {

    private static final TransferOutcome.Status[] ALL = TransferOutcome.Status.values();

    ByteBuffer encode() {
      byte[] text = cut(reason);
      return ByteBuffer.allocate(5 + text.length)
          .put((byte) status.number())
          .putInt(crc32c)
          .put(text)
          .flip();
    }

    static Done decode(ByteBuffer from) throws ProtocolException {
      try {
        int status = from.get();
        if (status < 0 || status >= ALL.length) {
          throw new ProtocolException("A transfer ends with the unknown status " + status + ".");
        }
        return new Done(ALL[status], from.getInt(), text(from));
      } catch (BufferUnderflowException e) {
        throw tooShort(e);
      }
    }
  }

  /** The sender's last word, if it does not send all. */
  record Abort(boolean keep, String reason) {

    ByteBuffer encode() {
      byte[] text = cut(reason);
      return ByteBuffer.allocate(1 + text.length).put((byte) (keep ? 1 : 0)).put(text).flip();
    }

    static Abort decode(ByteBuffer from) throws ProtocolException {
      try {
        return new Abort(from.get() != 0, text(from));
      } catch (BufferUnderflowException e) {
        throw tooShort(e);
      }
    }
  }

  private Payload() {}

  static ByteBuffer number(int value) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(value).flip();
  }

  static int number(ByteBuffer from) throws ProtocolException {
    try {
      return from.getInt();
    } catch (BufferUnderflowException e) {
      throw tooShort(e);
    }
  }

  static ByteBuffer reason(String reason) {
    return ByteBuffer.wrap(cut(reason));
  }

  /** Returns a copy of the remaining bytes. */
  static byte[] bytes(ByteBuffer from) {
    byte[] bytes = new byte[from.remaining()];
    from.get(bytes);
    return bytes;
  }

  static String text(ByteBuffer from) {
    return StandardCharsets.UTF_8.decode(from).toString();
  }

  private static byte[] cut(String reason) {
    byte[] bytes = reason.getBytes(StandardCharsets.UTF_8);
    return bytes.length <= REASON_BYTES ? bytes : Arrays.copyOf(bytes, REASON_BYTES);
  }

  private static ProtocolException tooShort(BufferUnderflowException cause) {
    ProtocolException failure = new ProtocolException("A frame is too short for its kind.");
    failure.initCause(cause);
    return failure;
  }
}

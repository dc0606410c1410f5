package io.deepvm.transport;

import io.deepvm.base.BadInput;
import io.deepvm.base.Crc32c;
import io.deepvm.transport.TransferOutcome.Status;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The sender's side of one transfer. */
final class Outgoing {

  private final Connection connection;
  private final int stream;
  private final TransferHeader header;
  private final Source source;
  private final Transfer handle;
  private final Gate gate = new Gate();
  private final ByteBuffer head = ByteBuffer.allocate(Frame.BYTES);

  /** Guarded by the outbox. */
  boolean queued;

  private boolean accepted;
  private boolean begun;
  private boolean ended;
  private long position;
  private long limit;
  private int chunkBytes;
  private int crc32c;
  private int rewinds;
  private TransferProgress acknowledged = TransferProgress.NONE;
  private long movedAt;

  Outgoing(
      Connection connection, int stream, TransferHeader header, Source source, Transfer handle) {
    this.connection = connection;
    this.stream = stream;
    this.header = header;
    this.source = source;
    this.handle = handle;
    movedAt = connection.now();
    handle.cancelBy(reason -> abort(Status.CANCELLED, false, reason));
  }

  int stream() {
    return stream;
  }

  /** Takes a message of the receiver. */
  void receive(Frame frame, ByteBuffer payload) throws ProtocolException {
    switch (frame.type()) {
      case ACCEPT -> accept(frame.offset(), Payload.Accept.decode(payload));
      case ACK -> acknowledge(frame.offset(), Payload.Credit.decode(payload));
      case RETRY -> rewind(frame.offset(), Payload.number(payload));
      default -> done(frame.offset(), Payload.Done.decode(payload));
    }
  }

  /** The receiver wants it, from this offset on. */
  private void accept(long offset, Payload.Accept permission) throws ProtocolException {
    synchronized (this) {
      boolean fits =
          !accepted
              && offset <= header.length()
              && permission.limit() >= offset
              && permission.limit() <= header.length()
              && permission.chunkBytes() >= Limits.LEAST_CHUNK
              && permission.chunkBytes() <= Limits.LARGEST_CHUNK;
      if (!fits) {
        throw new ProtocolException("A transfer was accepted twice or beyond its length.");
      }
      accepted = true;
      chunkBytes = permission.chunkBytes();
      movedAt = connection.now();
      limit = permission.limit();
      position = offset;
      crc32c = permission.prefixCrc32c();
      acknowledged = new TransferProgress(offset, crc32c);
    }
    handle.acknowledge(offset);
    if (offset == 0) {
      begin();
    } else {
      connection.execute(this::verifyPrefix);
    }
  }

  /** The receiver holds this much and may be sent up to the limit. */
  private void acknowledge(long offset, Payload.Credit credit) throws ProtocolException {
    synchronized (this) {
      if (!accepted || offset > position || credit.limit() > header.length()) {
        throw new ProtocolException("Bytes were acknowledged that have not been sent.");
      }
      acknowledged = new TransferProgress(offset, credit.crc32c());
      limit = Math.max(limit, credit.limit());
      movedAt = connection.now();
    }
    handle.acknowledge(offset);
    connection.outbox().offer(this);
  }

  /** The receiver got damaged bytes and asks for all from this offset on again. */
  private void rewind(long offset, int prefixCrc32c) throws ProtocolException {
    synchronized (this) {
      if (!accepted || offset > position) {
        throw new ProtocolException("Bytes were asked for again that have not been sent.");
      }
      position = offset;
      crc32c = prefixCrc32c;
      ended = false;
      rewinds++;
      movedAt = connection.now();
    }
    connection.outbox().offer(this);
  }

  /** The receiver's last word. */
  private void done(long offset, Payload.Done word) {
    handle.acknowledge(offset);
    finish(
        new TransferOutcome(
            word.status(), new TransferProgress(offset, word.crc32c()), word.reason()));
  }

  /** Ends it here and at the receiver, which forgets what it holds unless it may go on later. */
  void abort(Status status, boolean keep, String reason) {
    TransferOutcome outcome;
    synchronized (this) {
      outcome = new TransferOutcome(status, acknowledged, reason);
    }
    if (finish(outcome)) {
      connection
          .outbox()
          .post(Frame.Type.ABORT, stream, 0, new Payload.Abort(keep, reason).encode());
    }
  }

  /** Ends it because the connection is gone. */
  void interrupt(String reason) {
    TransferOutcome outcome;
    synchronized (this) {
      outcome = new TransferOutcome(Status.INTERRUPTED, acknowledged, reason);
    }
    finish(outcome);
  }

  /** Gives up when nothing has moved for too long. */
  void tick(long now) {
    boolean waitsForWord;
    long still;
    synchronized (this) {
      waitsForWord = ended;
      still = now - movedAt;
    }
    Timeouts timeouts = connection.timeouts();
    if (still > (waitsForWord ? timeouts.commit() : timeouts.stall()).toNanos()) {
      abort(Status.TIMED_OUT, true, "The receiver has not moved for " + still / 1_000_000 + " ms.");
    }
  }

  /**
   * Writes these frames and the next chunk after them, if there is one by now; false if it wrote
   * nothing. The checksum of the chunk follows with the next frames: writing has brought the chunk
   * into the cache, where summing it costs a fifth of what it costs from memory.
   */
  boolean writeNext(TransportWire wire, List<ByteBuffer> before, Scratch scratch)
      throws IOException {
    if (!gate.enter()) {
      return false;
    }
    try {
      long offset;
      int length;
      int rewindsBefore;
      synchronized (this) {
        offset = position;
        length = (int) Math.min(chunkBytes, Math.min(limit, header.length()) - offset);
        if (!begun || ended || (length == 0 && offset < header.length())) {
          return false;
        }
        rewindsBefore = rewinds;
        if (length == 0) {
          ended = true;
          movedAt = connection.now();
          connection.outbox().post(Frame.Type.END, stream, offset, Payload.number(crc32c));
          return false;
        }
        position += length;
        movedAt = connection.now();
      }
      ByteBuffer[] bytes = read(offset, length, scratch);
      if (bytes.length == 0) {
        return false;
      }
      new Frame(Frame.Type.DATA, stream, offset, length, 0).encode(head.clear());
      List<ByteBuffer> parts = new ArrayList<>(before);
      parts.add(head.flip());
      for (ByteBuffer part : bytes) {
        parts.add(part.duplicate());
      }
      wire.write(parts.toArray(ByteBuffer[]::new));
      int sum = Crc32c.of(bytes);
      connection.outbox().post(new Frame(Frame.Type.SUM, stream, offset, 0, sum), Payload.EMPTY);
      synchronized (this) {
        if (rewindsBefore == rewinds) {
          crc32c = Crc32c.join(crc32c, sum, length);
        }
      }
      return true;
    } finally {
      gate.exit();
    }
  }

  /** Returns the bytes, or none when the source failed and with it the transfer. */
  private ByteBuffer[] read(long offset, int length, Scratch scratch) {
    try {
      ByteBuffer[] bytes = source.read(offset, length, scratch.ofAtLeast(chunkBytes));
      long got = 0;
      for (ByteBuffer buffer : bytes) {
        got += buffer.remaining();
      }
      if (got == length) {
        return bytes;
      }
      abort(
          Status.FAILED,
          true,
          "The source gave " + got + " bytes where " + length + " were asked.");
    } catch (IOException | RuntimeException e) {
      abort(Status.FAILED, true, "The source could not be read: " + e.getMessage());
    }
    return new ByteBuffer[0];
  }

  /** Checks that what the receiver holds from before is the start of what is sent now. */
  private void verifyPrefix() {
    if (!gate.enter()) {
      return;
    }
    try {
      TransferProgress held;
      synchronized (this) {
        held = acknowledged;
      }
      TransferProgress ours = TransferProgress.NONE;
      Scratch scratch = new Scratch();
      while (ours.offset() < held.offset()) {
        int length = (int) Math.min(chunkBytes, held.offset() - ours.offset());
        ByteBuffer[] bytes = read(ours.offset(), length, scratch);
        if (bytes.length == 0 || gate.isShut()) {
          return;
        }
        ours = ours.and(Crc32c.of(bytes), length);
        synchronized (this) {
          movedAt = connection.now();
        }
      }
      if (ours.equals(held)) {
        begin();
      } else {
        abort(
            Status.CORRUPT,
            false,
            "The first "
                + held.offset()
                + " bytes that the receiver holds are not those sent now.");
      }
    } finally {
      gate.exit();
    }
  }

  private void begin() {
    synchronized (this) {
      begun = true;
      movedAt = connection.now();
    }
    connection.outbox().offer(this);
  }

  private boolean finish(TransferOutcome outcome) {
    return gate.shut(
        () -> {
          connection.forget(this);
          connection.execute(
              () -> {
                try {
                  source.close();
                } finally {
                  handle.end(outcome);
                }
              });
        });
  }

  /** Refuses a header that does not fit its source before anything is sent. */
  static void check(TransferHeader header, Source source, Limits limits) {
    if (header.length() != source.length()) {
      throw new BadInput(
          "Transfer "
              + header.name()
              + " states "
              + header.length()
              + " bytes, its source has "
              + source.length()
              + ".",
          "Maybe make the header from the source.");
    }
    if (header.name().length() > limits.nameBytes()
        || header.group().length() > limits.nameBytes()) {
      throw new BadInput(
          "The name or the group of transfer "
              + header.name()
              + " is longer than "
              + limits.nameBytes()
              + " bytes.",
          "Maybe shorten it, or raise the limit on both sides.");
    }
  }
}

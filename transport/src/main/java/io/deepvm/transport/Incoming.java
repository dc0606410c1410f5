package io.deepvm.transport;

import io.deepvm.base.BadInput;
import io.deepvm.transport.TransferOutcome.Status;
import java.io.IOException;
import java.net.ProtocolException;
import org.jspecify.annotations.Nullable;

/**
 * The receiver's side of one transfer: decides about it with its owner, takes its chunks, and ends
 * it exactly once.
 */
final class Incoming implements SinkFeed.Owner {

  private final Connection connection;
  private final Endpoint endpoint;
  private final int stream;
  private final TransferHeader header;
  private final IncomingOwner owner;
  private final Gate gate = new Gate();
  private final int chunkBytes;
  private final Integrity integrity;
  private final Credit credit;
  private final Acceptance acceptance;
  private final Replies replies;

  private @Nullable Segments targets;
  private @Nullable Arrival arrival;
  private @Nullable SinkFeed feed;
  private TransferProgress held = TransferProgress.NONE;
  private boolean taken;

  /** When the sender or this side moved last. */
  private volatile long movedAt;

  Incoming(Connection connection, int stream, TransferHeader header, IncomingOwner owner) {
    this.connection = connection;
    endpoint = connection.endpoint();
    this.stream = stream;
    this.header = header;
    this.owner = owner;
    Limits limits = endpoint.options().limits();
    chunkBytes = limits.chunkBytes();
    integrity = new Integrity(header.length(), chunkBytes);
    credit = new Credit(header.length(), chunkBytes, limits.window().bytes());
    acceptance = new Acceptance(connection, this, header, owner);
    replies = new Replies(connection.outbox(), stream);
    movedAt = connection.now();
  }

  TransferHeader header() {
    return header;
  }

  int stream() {
    return stream;
  }

  /** Asks the owner, on a worker, what to do with it. */
  void decide() {
    if (gate.enter()) {
      try {
        acceptance.decide();
      } finally {
        gate.exit();
      }
    }
  }

  /** Notes what an earlier attempt left here, and returns it. */
  synchronized TransferProgress setHeld(TransferProgress progress) {
    held = progress;
    return progress;
  }

  /** Takes it into memory, from an offset on. */
  void begin(TransferProgress from, Segments into, Arrival hearing) {
    if (into.length() == header.length()) {
      begin(from, into, hearing, null);
    } else {
      refusePlace();
    }
  }

  /** Takes it into a sink, from an offset on. */
  void begin(TransferProgress from, Sink through) {
    begin(
        from,
        null,
        null,
        new SinkFeed(gate, connection::execute, endpoint.budget(), through, this));
  }

  private void refusePlace() {
    synchronized (this) {
      taken = true;
    }
    finish(
        Status.REFUSED,
        true,
        "The receiver's place for %s has another length than the %d bytes sent."
            .formatted(header.name(), header.length()));
  }

  private void begin(
      TransferProgress from,
      @Nullable Segments into,
      @Nullable Arrival hearing,
      @Nullable SinkFeed through) {
    if (from.offset() < 0 || from.offset() > header.length()) {
      refusePlace();
      return;
    }
    int wanted;
    synchronized (this) {
      taken = true;
      targets = into;
      arrival = hearing;
      feed = through;
      integrity.begin(from);
      held = from;
      credit.begin(from.offset(), into != null);
      movedAt = connection.now();
      wanted = credit.wantedSlots(from.offset());
    }
    takeCredit(wanted);
    synchronized (this) {
      credit.told(from.offset());
      owner.acknowledged(from.offset());
      replies.accept(from, credit.limit(), chunkBytes);
    }
    awaitCredit();
  }

  private boolean hasBegun() {
    return targets != null || feed != null;
  }

  /** Takes a data frame whose payload comes next on the connection; called by its reader. */
  void data(Frame frame) throws IOException {
    if (gate.isShut()) {
      // It has ended here, but the sender does not know that yet.
      connection.reader().skip(frame.length());
      return;
    }
    boolean wanted;
    synchronized (this) {
      if (!hasBegun()) {
        throw new ProtocolException("Bytes came before the transfer was accepted.");
      }
      wanted = integrity.expects(frame.offset(), frame.length(), credit.limit());
    }
    if (!wanted || !gate.enter()) {
      connection.reader().skip(frame.length());
      return;
    }
    try {
      ReceivedChunk chunk =
          targets == null
              ? ReceivedChunk.read(frame, connection, endpoint.budget())
              : ReceivedChunk.read(frame, connection, targets);
      synchronized (this) {
        movedAt = connection.now();
        integrity.awaitSum(chunk);
      }
    } finally {
      gate.exit();
    }
  }

  /** The checksum of the chunk at this offset; called by the connection's reader. */
  void sum(long offset, int crc32c) {
    if (!gate.enter()) {
      return;
    }
    try {
      ReceivedChunk chunk;
      Integrity.Verdict verdict;
      synchronized (this) {
        chunk = integrity.takeUnproven(offset);
        if (chunk == null) {
          return;
        }
        movedAt = connection.now();
        verdict = integrity.check(chunk, crc32c);
        if (verdict == Integrity.Verdict.DAMAGED) {
          replies.askAgain(integrity.arrived());
        }
      }
      if (verdict == Integrity.Verdict.SOUND) {
        keep(chunk);
        return;
      }
      endpoint.budget().giveBack(chunk);
      if (verdict == Integrity.Verdict.DAMAGED_TOO_OFTEN) {
        finish(
            Status.CORRUPT,
            true,
            "Chunks came damaged %d times, the last one at offset %d."
                .formatted(integrity.retries(), offset));
      }
    } finally {
      gate.exit();
    }
  }

  private void keep(ReceivedChunk chunk) {
    if (feed != null) {
      feed.add(chunk);
      return;
    }
    if (arrival != null) {
      arrival.arrived(chunk.offset(), chunk.length());
    }
    hold(chunk);
  }

  /** The sender has sent all, and this is the checksum of the whole. */
  void end(long offset, int crc32c) throws ProtocolException {
    if (gate.isShut()) {
      return;
    }
    synchronized (this) {
      if (!hasBegun()) {
        throw new ProtocolException("A transfer ended before it was accepted.");
      }
      if (!integrity.end(offset, crc32c)) {
        return;
      }
      movedAt = connection.now();
    }
    completeIfWhole();
  }

  /**
   * Ends it, on a worker, and informs the sender; what is held may serve a later attempt if it is
   * kept.
   */
  void finish(Status status, boolean keep, String reason) {
    gate.shut(() -> connection.execute(() -> conclude(status, keep, reason)));
  }

  /** Gives up when the sender has credit and has not used it for too long. */
  void tick(long now) {
    long still;
    synchronized (this) {
      boolean sendersTurn =
          hasBegun()
              && !integrity.hasEnded()
              && (feed == null || feed.isIdle())
              && !credit.isWaiting();
      still = sendersTurn ? now - movedAt : 0;
    }
    if (still > connection.timeouts().stall().toNanos()) {
      finish(Status.TIMED_OUT, true, "The sender has not moved for " + still / 1_000_000 + " ms.");
    }
  }

  @Override
  public void written(ReceivedChunk chunk) {
    hold(chunk);
    endpoint.budget().release(1);
  }

  @Override
  public void failed(Exception problem) {
    finish(Status.FAILED, true, "The receiver could not write: " + problem.getMessage());
  }

  @Override
  public void drained() {
    movedAt = connection.now();
  }

  /** Notes that a further chunk is where it belongs, and gives the sender credit for another. */
  private void hold(ReceivedChunk chunk) {
    int wanted;
    synchronized (this) {
      held = held.and(chunk.crc32c(), chunk.length());
      owner.acknowledged(held.offset());
      wanted = credit.wantedSlots(held.offset());
    }
    takeCredit(wanted);
    tellProgress();
    awaitCredit();
    completeIfWhole();
  }

  private void takeCredit(int wanted) {
    if (wanted > 0) {
      addCredit(endpoint.budget().take(wanted));
    }
  }

  /** Has the budget call back when the sender has no credit at all and there is none to give. */
  private void awaitCredit() {
    int wanted;
    synchronized (this) {
      wanted = hasBegun() ? credit.slotsToAwait(held.offset()) : 0;
    }
    if (wanted == 0) {
      return;
    }
    endpoint
        .budget()
        .await(
            wanted,
            slots -> {
              synchronized (this) {
                credit.awaited();
                movedAt = connection.now();
              }
              addCredit(slots);
              tellProgress();
            });
  }

  private void addCredit(int slots) {
    boolean added;
    synchronized (this) {
      added = credit.add(slots);
    }
    if (!added) {
      endpoint.budget().release(slots);
    }
  }

  /** Acknowledges when enough has come, or when the sender would run out of credit. */
  private synchronized void tellProgress() {
    if (credit.isWordDue(held.offset())) {
      credit.told(held.offset());
      replies.acknowledge(held, credit.limit());
    }
  }

  private void completeIfWhole() {
    boolean sound;
    synchronized (this) {
      if (!integrity.isComplete(held)) {
        return;
      }
      sound = integrity.isSound(held);
    }
    if (sound) {
      gate.shut(() -> connection.execute(this::commit));
    } else {
      finish(Status.CORRUPT, false, "The checksum of the whole differs.");
    }
  }

  /** Lets the owner accept the whole; nothing else can end the transfer any more. */
  private void commit() {
    try {
      long newest = owner.fenced() ? acceptance.newestGeneration() : 0;
      if (newest > header.generation()) {
        conclude(
            Status.STALE,
            false,
            "Generation " + newest + " of group " + header.group() + " came before the end.");
        return;
      }
      owner.received(header, held.crc32c());
      conclude(Status.DELIVERED, true, "");
    } catch (BadInput e) {
      conclude(Status.FAILED, true, e.getMessage() + "\n" + e.wayOut());
    } catch (IOException | RuntimeException e) {
      conclude(Status.FAILED, true, "The receiver could not accept the whole: " + e.getMessage());
    }
  }

  private void conclude(Status status, boolean keep, String reason) {
    int slots;
    boolean accepted;
    ReceivedChunk unproven;
    TransferOutcome outcome;
    synchronized (this) {
      accepted = taken;
      slots = credit.release(held.offset());
      unproven = integrity.drop();
      outcome = new TransferOutcome(status, keep ? held : TransferProgress.NONE, reason);
    }
    if (unproven != null) {
      endpoint.budget().giveBack(unproven);
    }
    if (feed != null) {
      feed.drop();
    }
    if (slots > 0) {
      endpoint.budget().release(slots);
    }
    connection.forget(this);
    if (owner.fenced()) {
      acceptance.release(outcome);
    }
    replies.done(outcome);
    owner.ended(header, accepted, outcome);
  }
}

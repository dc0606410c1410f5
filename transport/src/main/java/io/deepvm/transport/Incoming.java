package io.deepvm.transport;

import io.deepvm.transport.Outcome.Status;
import io.deepvm.units.BadInput;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** The receiver's side of one transfer. */
final class Incoming {

  /** So often are damaged bytes asked for again before the wire counts as broken. */
  private static final int MOST_RETRIES = 16;

  /** Decides about an incoming transfer and hears how it ended. */
  interface Owner {
    Decision decide(TransferHeader header, Progress soFar) throws IOException;

    void received(TransferHeader header, int crc32c) throws IOException;

    void acknowledged(long offset);

    /** Hears how it ended, and whether {@link #decide} had taken it. */
    void ended(TransferHeader header, boolean accepted, Outcome outcome);

    /** Whether ids are remembered and generations compared: so for what the other side pushes. */
    boolean fenced();
  }

  /** A chunk that waits for its checksum and then, in a buffer of the budget, for the sink. */
  private record Piece(long offset, int length, int crc32c, @Nullable ByteBuffer buffer) {}

  private final Connection connection;
  private final Endpoint endpoint;
  private final int stream;
  private final TransferHeader header;
  private final Owner owner;
  private final Gate gate = new Gate();
  private final int chunkBytes;
  private final long window;
  private final long creditStep;
  private final ArrayDeque<Piece> pieces = new ArrayDeque<>();

  private @Nullable Segments targets;
  private @Nullable Arrival arrival;
  private @Nullable Sink sink;
  private @Nullable Piece unproven;
  private Progress arrived = Progress.NONE;
  private Progress held = Progress.NONE;
  private long limit;
  private long toldLimit;
  private long toldOffset;
  private boolean taken;
  private boolean draining;
  private boolean waiting;
  private boolean rewinding;
  private int retries;
  private boolean ended;
  private int wholeCrc32c;
  private boolean released;
  private long movedAt;

  Incoming(Connection connection, int stream, TransferHeader header, Owner owner) {
    this.connection = connection;
    endpoint = connection.endpoint();
    this.stream = stream;
    this.header = header;
    this.owner = owner;
    Limits limits = endpoint.options().limits();
    chunkBytes = limits.chunkBytes();
    window = limits.window().bytes() / chunkBytes * chunkBytes;
    creditStep = Math.max(chunkBytes, window / 4);
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
    if (!gate.enter()) {
      return;
    }
    try {
      Progress soFar = owner.fenced() ? claim() : Progress.NONE;
      if (soFar != null) {
        Decision decision = owner.decide(header, soFar);
        if (decision instanceof Decision.Into into) {
          begin(into.from(), new Segments(into.targets()), into.arrival(), null);
        } else if (decision instanceof Decision.Through through) {
          begin(through.from(), null, null, through.sink());
        } else if (decision instanceof Decision.Refuse refuse) {
          finish(Status.REFUSED, true, refuse.reason());
        } else {
          setHeld(new Progress(header.length(), 0));
          finish(Status.DUPLICATE, true, "");
        }
      }
    } catch (BadInput e) {
      finish(Status.REFUSED, true, e.getMessage() + "\n" + e.wayOut());
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      finish(Status.FAILED, true, "The receiver could not decide: " + e);
    } finally {
      gate.exit();
    }
  }

  /** Returns what an earlier attempt left, or nothing when this one has ended or has to wait. */
  private @Nullable Progress claim() {
    if (isStale()) {
      return null;
    }
    Ledger.Claim claim = endpoint.ledger().claim(this);
    if (claim instanceof Ledger.Claim.Granted granted) {
      return setHeld(granted.soFar());
    }
    if (claim instanceof Ledger.Claim.Delivered delivered) {
      setHeld(new Progress(header.length(), delivered.crc32c()));
      finish(Status.DUPLICATE, true, "");
    } else if (claim instanceof Ledger.Claim.Conflict conflict) {
      finish(
          Status.REFUSED,
          true,
          "The id "
              + header.id()
              + " stands for another transfer, "
              + conflict.other().name()
              + " of "
              + conflict.other().length()
              + " bytes.");
    } else if (claim instanceof Ledger.Claim.Running running) {
      running.other().finish(Status.CANCELLED, true, "A later attempt took over.");
      var unused = running.ended().thenRun(() -> connection.execute(this::decide));
    }
    return null;
  }

  private synchronized Progress setHeld(Progress progress) {
    held = progress;
    return progress;
  }

  /** Whether a newer generation of the group has been seen, and then ends it. */
  private boolean isStale() {
    long newest = endpoint.options().generations().raise(header.group(), header.generation());
    if (newest > header.generation()) {
      finish(
          Status.STALE,
          false,
          "Generation "
              + header.generation()
              + " of group "
              + header.group()
              + " is older than generation "
              + newest
              + ", which was seen here.");
      return true;
    }
    return false;
  }

  private void begin(
      Progress from, @Nullable Segments into, @Nullable Arrival hearing, @Nullable Sink through) {
    long length = header.length();
    synchronized (this) {
      taken = true;
    }
    if (from.offset() < 0 || from.offset() > length || (into != null && into.length() != length)) {
      finish(
          Status.REFUSED,
          true,
          "The receiver's place for "
              + header.name()
              + " has another length than the "
              + length
              + " bytes sent.");
      return;
    }
    int wanted;
    synchronized (this) {
      targets = into;
      arrival = hearing;
      sink = through;
      arrived = from;
      held = from;
      toldOffset = from.offset();
      limit = into != null ? length : from.offset();
      movedAt = connection.now();
      wanted = into != null ? 0 : wantedSlots();
    }
    if (wanted > 0) {
      addCredit(endpoint.budget().take(wanted));
    }
    synchronized (this) {
      toldLimit = limit;
      owner.acknowledged(from.offset());
      connection
          .outbox()
          .post(
              Frame.Type.ACCEPT,
              stream,
              from.offset(),
              new Payload.Accept(limit, from.crc32c(), chunkBytes).encode());
    }
    awaitCredit();
  }

  /** Takes a data frame whose payload comes next on the connection; called by its reader. */
  void data(Frame frame) throws IOException {
    if (gate.isShut()) {
      // It has ended here, but the sender does not know that yet.
      connection.skip(frame.length());
      return;
    }
    boolean wanted;
    synchronized (this) {
      if (targets == null && sink == null) {
        throw new ProtocolException("Bytes came before the transfer was accepted.");
      }
      if (unproven != null) {
        throw new ProtocolException("A chunk came before the checksum of the last one.");
      }
      wanted = frame.offset() == arrived.offset();
      if (!wanted && !rewinding) {
        throw new ProtocolException(
            "Bytes came for offset " + frame.offset() + " instead of " + arrived.offset() + ".");
      }
      long expected = Math.min(chunkBytes, header.length() - frame.offset());
      if (frame.length() != expected || frame.offset() + frame.length() > limit) {
        throw new ProtocolException(
            frame.length()
                + " bytes came at offset "
                + frame.offset()
                + ", beyond the credit up to "
                + limit
                + " or not a whole chunk.");
      }
    }
    if (!wanted || !gate.enter()) {
      connection.skip(frame.length());
      return;
    }
    try {
      if (targets != null) {
        int sum = connection.readSummed(targets.slice(frame.offset(), frame.length()));
        awaitSum(new Piece(frame.offset(), frame.length(), sum, null));
      } else {
        stage(frame);
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
      Piece piece;
      synchronized (this) {
        piece = unproven;
        if (piece == null || piece.offset != offset) {
          // It was passed over.
          return;
        }
        unproven = null;
      }
      if (!isWhole(piece, crc32c)) {
        giveBack(piece);
      } else if (piece.buffer != null) {
        queue(piece);
      } else {
        if (arrival != null) {
          arrival.arrived(offset, piece.length);
        }
        hold(piece.length, crc32c);
      }
    } finally {
      gate.exit();
    }
  }

  /** The sender has sent all, and this is the checksum of the whole. */
  void end(long offset, int crc32c) throws ProtocolException {
    if (gate.isShut()) {
      return;
    }
    synchronized (this) {
      if (arrived.offset() != header.length()) {
        if (rewinding) {
          return;
        }
        throw new ProtocolException("A transfer ended before all its bytes had come.");
      }
      if (offset != header.length() || (targets == null && sink == null)) {
        throw new ProtocolException("A transfer ended at offset " + offset + ".");
      }
      ended = true;
      wholeCrc32c = crc32c;
      movedAt = connection.now();
    }
    completeIfWhole();
  }

  /** Ends it and tells the sender; what is held may serve a later attempt if it is kept. */
  void finish(Status status, boolean keep, String reason) {
    gate.shut(() -> connection.execute(() -> conclude(status, keep, reason)));
  }

  /** Gives up when the sender has credit and has not used it for too long. */
  void tick(long now) {
    long still;
    synchronized (this) {
      boolean sendersTurn =
          (targets != null || sink != null) && !ended && pieces.isEmpty() && !draining && !waiting;
      still = sendersTurn ? now - movedAt : 0;
    }
    if (still > connection.timeouts().stall().toNanos()) {
      finish(Status.TIMED_OUT, true, "The sender has not moved for " + still / 1_000_000 + " ms.");
    }
  }

  private synchronized void awaitSum(Piece piece) {
    movedAt = connection.now();
    unproven = piece;
  }

  private void giveBack(Piece piece) {
    if (piece.buffer != null) {
      endpoint.budget().giveBack(piece.buffer);
    }
  }

  private boolean isWhole(Piece piece, int stated) {
    boolean tooOften;
    synchronized (this) {
      movedAt = connection.now();
      if (piece.crc32c == stated) {
        rewinding = false;
        arrived = arrived.and(stated, piece.length);
        return true;
      }
      rewinding = true;
      tooOften = ++retries > MOST_RETRIES;
      if (!tooOften) {
        connection
            .outbox()
            .post(Frame.Type.RETRY, stream, arrived.offset(), Payload.number(arrived.crc32c()));
      }
    }
    if (tooOften) {
      finish(
          Status.CORRUPT,
          true,
          "Chunks came damaged "
              + retries
              + " times, the last one at offset "
              + piece.offset
              + ".");
    }
    return false;
  }

  private void stage(Frame frame) throws IOException {
    Budget budget = endpoint.budget();
    ByteBuffer buffer = budget.borrow();
    boolean staged = false;
    try {
      int sum = connection.readSummed(buffer.limit(frame.length()));
      awaitSum(new Piece(frame.offset(), frame.length(), sum, buffer.flip()));
      staged = true;
    } finally {
      if (!staged) {
        budget.giveBack(buffer);
      }
    }
  }

  private void queue(Piece piece) {
    boolean drain;
    synchronized (this) {
      pieces.add(piece);
      drain = !draining;
      draining = true;
    }
    if (drain) {
      connection.execute(this::drain);
    }
  }

  /** Feeds the sink, on a worker, as long as there are pieces. */
  private void drain() {
    while (gate.enter()) {
      try {
        Piece piece;
        synchronized (this) {
          piece = pieces.poll();
          if (piece == null) {
            draining = false;
            movedAt = connection.now();
            return;
          }
        }
        feed(piece);
      } finally {
        gate.exit();
      }
    }
  }

  private void feed(Piece piece) {
    try {
      if (sink != null && piece.buffer != null) {
        sink.write(piece.offset, piece.buffer);
      }
    } catch (IOException | RuntimeException e) {
      giveBack(piece);
      finish(Status.FAILED, true, "The receiver could not write: " + e.getMessage());
      return;
    }
    giveBack(piece);
    hold(piece.length, piece.crc32c);
    endpoint.budget().release(1);
  }

  /** Notes that a further piece is where it belongs, and gives the sender credit for another. */
  private void hold(int length, int crc32c) {
    int wanted;
    synchronized (this) {
      held = held.and(crc32c, length);
      owner.acknowledged(held.offset());
      wanted = sink == null ? 0 : wantedSlots();
    }
    if (wanted > 0) {
      addCredit(endpoint.budget().take(wanted));
    }
    tellProgress();
    awaitCredit();
    completeIfWhole();
  }

  /** Returns for how many more chunks the sender should have credit. */
  private int wantedSlots() {
    long upTo = Math.min(header.length(), held.offset() + window);
    return slots(upTo - limit);
  }

  private int slots(long bytes) {
    return (int) Math.min((Math.max(bytes, 0) + chunkBytes - 1) / chunkBytes, Integer.MAX_VALUE);
  }

  /** Has the budget call back when the sender has no credit at all and there is none to give. */
  private void awaitCredit() {
    int wanted;
    synchronized (this) {
      if (sink == null || waiting || released || limit > held.offset()) {
        return;
      }
      wanted = wantedSlots();
      if (wanted == 0) {
        return;
      }
      waiting = true;
    }
    endpoint
        .budget()
        .await(
            wanted,
            slots -> {
              synchronized (this) {
                waiting = false;
                movedAt = connection.now();
              }
              addCredit(slots);
              tellProgress();
            });
  }

  private void addCredit(int slots) {
    synchronized (this) {
      if (!released) {
        limit = Math.min(header.length(), limit + (long) slots * chunkBytes);
        return;
      }
    }
    endpoint.budget().release(slots);
  }

  /** Acknowledges when enough has come, or when the sender would run out of credit. */
  private void tellProgress() {
    synchronized (this) {
      // Who has credit for all learns how far it came only now and then: a word costs both sides
      // a change of threads.
      boolean enough = held.offset() - toldOffset >= (sink == null ? window : creditStep);
      boolean runningOut = limit > toldLimit && toldLimit - held.offset() <= creditStep;
      if (enough || runningOut) {
        toldOffset = held.offset();
        toldLimit = limit;
        connection
            .outbox()
            .post(
                Frame.Type.ACK,
                stream,
                toldOffset,
                new Payload.Credit(toldLimit, held.crc32c()).encode());
      }
    }
  }

  private void completeIfWhole() {
    boolean sound;
    synchronized (this) {
      if (!ended || held.offset() != header.length()) {
        return;
      }
      sound = held.crc32c() == wholeCrc32c;
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
      long newest = owner.fenced() ? endpoint.options().generations().newest(header.group()) : 0;
      if (owner.fenced() && newest > header.generation()) {
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
    Outcome outcome;
    synchronized (this) {
      accepted = taken;
      slots = sink == null ? 0 : slots(limit - held.offset());
      released = true;
      pieces.forEach(this::giveBack);
      pieces.clear();
      if (unproven != null) {
        giveBack(unproven);
        unproven = null;
      }
      outcome = new Outcome(status, keep ? held : Progress.NONE, reason);
    }
    if (slots > 0) {
      endpoint.budget().release(slots);
    }
    connection.forget(this);
    Progress last = outcome.acknowledged();
    if (owner.fenced()) {
      boolean part = status != Status.DUPLICATE;
      endpoint.ledger().release(this, status == Status.DELIVERED, part ? last : Progress.NONE);
    }
    connection
        .outbox()
        .post(
            Frame.Type.DONE,
            stream,
            last.offset(),
            new Payload.Done(status, last.crc32c(), reason).encode());
    owner.ended(header, accepted, outcome);
  }
}

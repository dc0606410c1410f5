package io.deepvm.transport;

import io.deepvm.base.BadInput;
import io.deepvm.transport.TransferOutcome.Status;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Two processes that send each other transfers and messages, both ways at once. Both sides can do
 * the same: who connected does not matter any more once the handshake is over.
 */
public final class Connection implements AutoCloseable {

  private final Endpoint endpoint;
  private final Handler handler;
  private final TransportWire wire;
  private final InetSocketAddress remote;
  private final boolean client;
  private final Outbox outbox;
  private final long createdAt;
  private final Map<Integer, Outgoing> outgoing = new ConcurrentHashMap<>();
  private final Map<Integer, Incoming> incoming = new ConcurrentHashMap<>();
  private final OpenRequests requests;
  private final AtomicInteger nextStream = new AtomicInteger(1);
  private final Serving serving;
  private final AtomicBoolean ending = new AtomicBoolean();
  private final CompletableFuture<Void> ready = new CompletableFuture<>();
  private final CompletableFuture<Void> greeted = new CompletableFuture<>();
  private final WireReader reader;
  private int lastStart;
  private volatile String endReason = "";
  private volatile @Nullable Role role;
  private volatile boolean spoken;

  Connection(
      Endpoint endpoint,
      Handler handler,
      TransportWire wire,
      InetSocketAddress remote,
      boolean client) {
    this.endpoint = endpoint;
    this.handler = handler;
    this.wire = wire;
    this.remote = remote;
    this.client = client;
    Limits limits = endpoint.options().limits();
    outbox = new Outbox(wire, limits, endpoint.options().nanoClock(), this::end);
    serving = new Serving(this, handler, limits);
    requests = new OpenRequests(this::execute);
    reader = new WireReader(wire, endpoint.options().nanoClock());
    createdAt = now();
  }

  /**
   * Sends a transfer. Sending one that came whole before is a no-op, one that was interrupted goes
   * on from where it was, one that another connection still carries takes it over.
   */
  public Transfer send(TransferHeader header, Source source) {
    Outgoing.check(header, source, endpoint.options().limits());
    checkRoomToSend();
    return start(header, source, 0);
  }

  /** Sends the remaining bytes of these buffers, one after the other. */
  public Transfer send(TransferHeader header, ByteBuffer... buffers) {
    return send(header, Source.of(buffers));
  }

  /** Fetches what has this name; the decision is made once its length is known. */
  public Transfer fetch(Name name, LongFunction<Decision> decision) {
    Limits.check("name", name.length(), endpoint.options().limits().nameBytes());
    Transfer handle = new Transfer();
    int number = nextStream.getAndIncrement();
    requests.add(number, now(), new Fetching(handle, decision));
    outbox.post(Frame.Type.FETCH, number, 0, ByteBuffer.wrap(name.bytes()));
    giveUpIfEnded();
    return handle;
  }

  /** Fetches what has this name into these buffers, which hold this much of it already. */
  public Transfer fetch(Name name, TransferProgress soFar, ByteBuffer... targets) {
    return fetch(name, length -> Decision.into(soFar, targets));
  }

  /** Asks a small question; the answer comes, or an IOException with the reason. */
  public CompletableFuture<byte[]> request(byte[] question) {
    Limits.check("request", question.length, endpoint.options().limits().messageBytes());
    int number = nextStream.getAndIncrement();
    CompletableFuture<byte[]> answer = requests.add(number, now());
    ByteBuffer payload = ByteBuffer.wrap(question);
    if (!outbox.tryPost(Frame.of(Frame.Type.REQUEST, number, 0, payload), payload)) {
      requests.fail(
          number, Status.REFUSED, new IOException("The other side does not read what is asked."));
    }
    giveUpIfEnded();
    return answer;
  }

  /** Returns the address of the other side. */
  public InetSocketAddress remote() {
    return remote;
  }

  /** Returns the role that the other side has proven; null if there are no secrets. */
  public @Nullable Role role() {
    return role;
  }

  /** Whether it is ready and has not ended. */
  public boolean isOpen() {
    return !ending.get() && ready.isDone();
  }

  /** Returns why it has ended; empty before. */
  public String endReason() {
    return endReason;
  }

  /** Ends it at once; what is under way is interrupted on both sides. */
  @Override
  public void close() {
    end("This side closed.");
  }

  void start() {
    endpoint.spawn("reader " + remote, this::read);
  }

  /** Waits until the other side is proven. */
  void awaitReady(Duration atMost) throws IOException {
    try {
      ready.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw new IOException("No connection to " + remote + ": " + endReason, e.getCause());
    } catch (TimeoutException e) {
      end("The handshake took longer than " + atMost.toMillis() + " ms.");
      throw new SocketTimeoutException("No connection to " + remote + ": " + endReason);
    } catch (InterruptedException e) {
      end("Connecting was interrupted.");
      Thread.currentThread().interrupt();
      throw new IOException("Connecting to " + remote + " was interrupted.", e);
    }
  }

  Endpoint endpoint() {
    return endpoint;
  }

  Timeouts timeouts() {
    return endpoint.options().timeouts();
  }

  Outbox outbox() {
    return outbox;
  }

  long now() {
    return endpoint.options().nanoClock().getAsLong();
  }

  void execute(Runnable task) {
    endpoint.execute(task);
  }

  void forget(Outgoing transfer) {
    outgoing.remove(transfer.stream(), transfer);
  }

  void forget(Incoming transfer) {
    incoming.remove(transfer.stream(), transfer);
  }

  WireReader reader() {
    return reader;
  }

  /** Looks after heartbeats and timeouts. */
  void tick(long now) {
    Timeouts timeouts = timeouts();
    if (!ready.isDone()) {
      if (now - createdAt > timeouts.handshake().toNanos()) {
        end("The handshake took longer than " + timeouts.handshake().toMillis() + " ms.");
      }
      return;
    }
    if (now - reader.readAt() > timeouts.silence().toNanos()) {
      end("Nothing was received for " + timeouts.silence().toMillis() + " ms.");
      return;
    }
    if (outbox.stuckNanos() > timeouts.stall().toNanos()) {
      end("The other side has read nothing for " + timeouts.stall().toMillis() + " ms.");
      return;
    }
    if (outbox.quietNanos() > timeouts.heartbeat().toNanos()) {
      outbox.post(Frame.Type.PING, 0, 0, Payload.EMPTY);
    }
    outgoing.values().forEach(transfer -> transfer.tick(now));
    incoming.values().forEach(transfer -> transfer.tick(now));
    requests.tick(now, timeouts.request());
  }

  /** Ends the connection and everything on it, once. */
  void end(String reason) {
    if (!ending.compareAndSet(false, true)) {
      return;
    }
    endReason = reason;
    wire.close();
    outbox.close();
    endpoint.remove(this);
    boolean wasReady = !ready.completeExceptionally(new IOException(reason));
    interruptAll();
    if (wasReady) {
      var unused = greeted.thenRun(() -> execute(() -> handler.closed(this, reason)));
    }
  }

  private void read() {
    try {
      // A peer that speaks TLS is not silent, however long the two take to agree on keys.
      wire.handshake(() -> spoken = true);
      Handshake handshake = new Handshake(wire, endpoint.options().security());
      role = client ? handshake.connect() : handshake.accept(() -> spoken = true, this::isAdmitted);
      reader.touch();
      if (!ready.complete(null)) {
        return;
      }
      endpoint.spawn("writer " + remote, outbox);
      execute(this::greet);
      while (!ending.get()) {
        dispatch(reader.frame(endpoint.options().limits()));
      }
    } catch (ProtocolException e) {
      if (ready.isDone()) {
        // The other side learns what it did wrong, if the connection still carries it.
        outbox.leave(String.valueOf(e.getMessage()));
      } else {
        end(String.valueOf(e.getMessage()));
      }
    } catch (IOException e) {
      end(String.valueOf(e.getMessage()));
    } catch (RuntimeException | Error e) {
      end("The reader failed: " + e);
    } finally {
      if (!client && !isProven()) {
        endpoint.refused(remote, endReason);
      }
    }
  }

  /** Whether the other side, proven or not, has said something. */
  boolean hasSpoken() {
    return spoken;
  }

  private boolean isAdmitted() {
    return endpoint.admit(this);
  }

  private boolean isProven() {
    return ready.isDone() && !ready.isCompletedExceptionally();
  }

  private void greet() {
    try {
      handler.connected(this);
    } finally {
      greeted.complete(null);
    }
  }

  private void dispatch(Frame frame) throws IOException {
    if (frame.type() == Frame.Type.DATA) {
      Incoming transfer = incoming.get(frame.stream());
      if (transfer == null) {
        reader.skip(frame.length());
      } else {
        transfer.data(frame);
      }
      return;
    }
    if (frame.type() == Frame.Type.SUM) {
      Incoming transfer = incoming.get(frame.stream());
      if (transfer != null) {
        transfer.sum(frame.offset(), frame.crc32c());
      }
      return;
    }
    ByteBuffer payload = reader.payload(frame);
    switch (frame.type()) {
      case START -> startIncoming(frame, payload);
      case END -> {
        Incoming transfer = incoming.get(frame.stream());
        if (transfer != null) {
          transfer.end(frame.offset(), Payload.number(payload));
        }
      }
      case ABORT -> {
        Payload.Abort abort = Payload.Abort.decode(payload);
        Incoming transfer = incoming.get(frame.stream());
        if (transfer != null) {
          transfer.finish(Status.CANCELLED, abort.keep(), abort.reason());
        }
      }
      case ACCEPT, ACK, RETRY, DONE -> {
        Outgoing transfer = outgoing.get(frame.stream());
        if (transfer != null) {
          transfer.receive(frame, payload);
        }
      }
      case REQUEST -> serving.answer(frame.stream(), Payload.bytes(payload));
      case FETCH -> serving.fetch(frame.stream(), Name.of(Payload.bytes(payload)));
      case ANSWER -> requests.answer(frame.stream(), Payload.bytes(payload));
      case REFUSAL ->
          requests.fail(frame.stream(), Status.REFUSED, new IOException(Payload.text(payload)));
      case BYE -> end("The other side took its leave: " + Payload.text(payload));
      case PING, DATA, SUM -> {}
    }
  }

  private void startIncoming(Frame frame, ByteBuffer payload) throws ProtocolException {
    Payload.Start start = Payload.Start.decode(payload, endpoint.options().limits());
    if (frame.stream() <= lastStart) {
      throw new ProtocolException("The transfer number " + frame.stream() + " comes twice.");
    }
    lastStart = frame.stream();
    IncomingOwner owner = new Pushed(this, handler);
    if (start.fetch() != 0) {
      Fetching fetch = requests.takeFetch(start.fetch());
      if (fetch == null) {
        refuse(frame.stream(), "Nobody waits for this any more.");
        return;
      }
      owner = fetch;
    }
    if (incoming.size() >= endpoint.options().limits().transfers()) {
      refuse(frame.stream(), "More transfers at a time are not taken.");
      owner.ended(
          start.header(),
          false,
          new TransferOutcome(
              Status.REFUSED, TransferProgress.NONE, "More transfers at a time are not taken."));
      return;
    }
    Incoming transfer = new Incoming(this, frame.stream(), start.header(), owner);
    if (owner instanceof Fetching fetching) {
      fetching.cancelBy(transfer);
    }
    incoming.put(frame.stream(), transfer);
    execute(transfer::decide);
    giveUpIfEnded();
  }

  private void refuse(int stream, String reason) {
    outbox.post(Frame.Type.DONE, stream, 0, new Payload.Done(Status.REFUSED, 0, reason).encode());
  }

  Transfer start(TransferHeader header, Source source, int fetch) {
    Transfer handle = new Transfer();
    synchronized (outgoing) {
      // The receiver takes transfers in the order of their numbers.
      int stream = nextStream.getAndIncrement();
      Outgoing transfer = new Outgoing(this, stream, header, source, handle);
      outgoing.put(stream, transfer);
      outbox.post(Frame.Type.START, stream, 0, new Payload.Start(header, fetch).encode());
    }
    giveUpIfEnded();
    return handle;
  }

  void checkRoomToSend() {
    int most = endpoint.options().limits().transfers();
    if (outgoing.size() >= most) {
      throw new BadInput(
          most + " transfers are being sent on this connection; more are not.",
          "Maybe wait until one has ended.");
    }
  }

  /** Ends what was begun after the connection had ended. */
  private void giveUpIfEnded() {
    if (ending.get()) {
      interruptAll();
    }
  }

  private void interruptAll() {
    String reason = endReason;
    outgoing.values().forEach(transfer -> transfer.interrupt(reason));
    incoming.values().forEach(transfer -> transfer.finish(Status.INTERRUPTED, true, reason));
    requests.interruptAll(reason);
  }
}

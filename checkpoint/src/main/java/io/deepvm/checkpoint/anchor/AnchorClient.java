package io.deepvm.checkpoint.anchor;

import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.StaleGeneration;
import io.deepvm.transport.Connection;
import io.deepvm.transport.Decision;
import io.deepvm.transport.Handler;
import io.deepvm.transport.Name;
import io.deepvm.transport.Role;
import io.deepvm.transport.Security;
import io.deepvm.transport.Timeouts;
import io.deepvm.transport.Token;
import io.deepvm.transport.Transfer;
import io.deepvm.transport.TransferHeader;
import io.deepvm.transport.TransferOutcome;
import io.deepvm.transport.TransferProgress;
import io.deepvm.transport.TransportClient;
import io.deepvm.transport.TransportOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A worker's way to one anchor, which its tiers and its assembly share. It connects when it is
 * needed; every call ends in bounded time, with an IOException when the anchor is gone.
 */
public final class AnchorClient implements AutoCloseable {

  /** As many as an anchor works on at a time for one connection. */
  private static final int MOST_AT_ONCE = 8;

  /** Receives the messages of the anchor about rounds. */
  interface Listener {

    /** Everything is there: commit. */
    void assembled(String tier, Version version, int worker, Manifest manifest) throws IOException;

    /** A round has ended; the reason is empty when it is committed. */
    void ended(String tier, Version version, int worker, String reason);

    /** The connection has ended. */
    void lost(Connection connection);
  }

  private final InetSocketAddress address;
  private final Timeouts timeouts;
  private final TransportClient client;
  private final Semaphore room = new Semaphore(MOST_AT_ONCE);
  private final AtomicLong handles = new AtomicLong();
  private final AtomicReference<@Nullable Listener> listener = new AtomicReference<>();
  private @Nullable Connection connection;
  private boolean closed;
  private long restUntil;
  private String restReason = "";

  AnchorClient(InetSocketAddress address, Timeouts timeouts, Security security) {
    this.address = address;
    this.timeouts = timeouts;
    client =
        new TransportClient(
            new Ears(),
            TransportOptions.usual().withTimeouts(timeouts).withSecurity(security.to(Role.ANCHOR)));
    client.start();
  }

  /** Makes a client of a worker; nothing is connected yet. */
  public AnchorClient(InetSocketAddress address, @Nullable Token token, Timeouts timeouts) {
    this(address, timeouts, token == null ? Security.none() : Security.of(token));
  }

  /** Makes a client of a worker with the usual timeouts. */
  public AnchorClient(InetSocketAddress address, @Nullable Token token) {
    this(address, token, AnchorOptions.TIMEOUTS);
  }

  /** Returns a client with this security, whose role is that of the caller. */
  public static AnchorClient secured(InetSocketAddress address, Security security) {
    return new AnchorClient(address, AnchorOptions.TIMEOUTS, security);
  }

  /** Returns the anchor's address. */
  public InetSocketAddress address() {
    return address;
  }

  void listen(Listener newListener) {
    if (!listener.compareAndSet(null, newListener)) {
      throw new IllegalStateException("An assembly uses this client already.");
    }
  }

  long nextHandle() {
    return handles.incrementAndGet();
  }

  /** Returns a connection that was open a moment ago. */
  synchronized Connection connection() throws IOException {
    if (closed) {
      throw new IOException("The client of %s is closed.".formatted(address));
    }
    Connection known = connection;
    if (known != null && known.isOpen()) {
      return known;
    }
    long begin = System.nanoTime();
    if (begin - restUntil < 0) {
      throw new IOException(restReason);
    }
    try {
      known = client.connect(address);
      connection = known;
      return known;
    } catch (IOException e) {
      // Fails fast for as long as the attempt took, or each question would wait for a dead machine.
      long now = System.nanoTime();
      restUntil = now + (now - begin);
      restReason = String.valueOf(e.getMessage());
      throw e;
    }
  }

  /** Asks over a connection and returns the number answered. */
  long ask(Connection over, Question question) throws IOException {
    enter();
    try {
      byte[] answer =
          over.request(question.encode())
              .get(timeouts.request().toMillis() + 1_000, TimeUnit.MILLISECONDS);
      return Answer.decode(answer).orThrow(question.version(), toString());
    } catch (InterruptedException e) {
      throw interrupted(e);
    } catch (ExecutionException e) {
      throw new IOException("%s: %s".formatted(this, reason(e)), e);
    } catch (TimeoutException e) {
      throw new IOException("%s does not answer.".formatted(this), e);
    } finally {
      room.release();
    }
  }

  private static String reason(ExecutionException problem) {
    Throwable cause = problem.getCause();
    return String.valueOf(cause == null ? problem.getMessage() : cause.getMessage());
  }

  /** Sends the buffer's remaining bytes under a question. */
  Transfer send(Connection over, Question question, ByteBuffer bytes) {
    Version version = question.version();
    return over.send(
        new TransferHeader(
            UUID.randomUUID(),
            Name.of(version.job()),
            version.generation(),
            question.name(),
            bytes.remaining()),
        bytes);
  }

  /** Waits until a transfer has arrived; its buffers are the caller's again afterwards. */
  void await(Connection over, Question question, Transfer transfer) throws IOException {
    TransferOutcome outcome = outcome(transfer);
    if (outcome.status() == TransferOutcome.Status.STALE) {
      Version version = question.version();
      long newest = ask(over, Question.about(Verb.GENERATION, question.level(), 0, version));
      throw new StaleGeneration(version.job(), version.generation(), newest);
    }
    if (!outcome.delivered()) {
      throw new IOException("%s: %s".formatted(this, outcome.reason()));
    }
  }

  /** Fetches into the buffer's remaining bytes and moves it to its end. */
  void fetch(Connection over, Question question, ByteBuffer into) throws IOException {
    enter();
    try {
      check(outcome(over.fetch(question.name(), TransferProgress.NONE, into)));
      into.position(into.limit());
    } finally {
      room.release();
    }
  }

  /** Fetches something whose length is not known before. */
  byte[] fetch(Connection over, Question question) throws IOException {
    byte[][] place = {new byte[0]};
    enter();
    try {
      check(
          outcome(
              over.fetch(
                  question.name(),
                  length -> {
                    if (length > Lists.MAX_BYTES) {
                      return Decision.refuse("It has %d bytes.".formatted(length));
                    }
                    byte[] bytes = new byte[(int) length];
                    place[0] = bytes;
                    return Decision.into(TransferProgress.NONE, ByteBuffer.wrap(bytes));
                  })));
      return place[0];
    } finally {
      room.release();
    }
  }

  private void check(TransferOutcome outcome) throws IOException {
    if (!outcome.delivered()) {
      throw new IOException("%s: %s".formatted(this, outcome.reason()));
    }
  }

  private void enter() throws IOException {
    try {
      if (!room.tryAcquire(timeouts.request().toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IOException("%s is busy.".formatted(this));
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** Waits for an outcome, which the transport's own timeouts bring about in any case. */
  private TransferOutcome outcome(Transfer transfer) throws IOException {
    try {
      return transfer.outcome().get();
    } catch (InterruptedException e) {
      transfer.cancel("The waiting thread was interrupted.");
      // the caller may have its buffers back only when nothing touches them any more
      transfer.outcome().join();
      throw interrupted(e);
    } catch (ExecutionException e) {
      throw new IOException("%s: %s".formatted(this, reason(e)), e);
    }
  }

  private IOException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new IOException("Waiting for %s was interrupted.".formatted(this), e);
  }

  /** Ends the connection; what is under way fails. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    client.close();
  }

  @Override
  public String toString() {
    return "anchor " + address;
  }

  /** Takes what the anchor says by itself. */
  private final class Ears implements Handler {

    private final Map<UUID, byte[]> arriving = new ConcurrentHashMap<>();

    @Override
    public Decision incoming(Connection from, TransferHeader header, TransferProgress soFar) {
      Question question = Question.decode(header.name().bytes());
      if (question.verb() != Verb.ASSEMBLED || header.length() > Lists.MAX_BYTES) {
        return Decision.refuse("Only manifests are taken here.");
      }
      byte[] place = new byte[(int) header.length()];
      arriving.put(header.id(), place);
      return Decision.into(TransferProgress.NONE, ByteBuffer.wrap(place));
    }

    @Override
    public void received(Connection from, TransferHeader header, int crc32c) throws IOException {
      Question question = Question.decode(header.name().bytes());
      byte[] place = arriving.remove(header.id());
      Listener there = listener.get();
      if (place == null || there == null) {
        throw new IOException("Nobody waits for this.");
      }
      there.assembled(
          question.text(), question.version(), (int) question.number(), Manifest.parse(place));
    }

    @Override
    public void interrupted(
        Connection from,
        TransferHeader header,
        TransferProgress soFar,
        TransferOutcome.Status why,
        String reason) {
      arriving.remove(header.id());
    }

    @Override
    public byte[] answer(Connection from, byte[] request) {
      Question question = Question.decode(request);
      Listener there = listener.get();
      if (question.verb() == Verb.ENDED && there != null) {
        there.ended(
            question.text(), question.version(), (int) question.number(), question.reason());
      }
      return new byte[0];
    }

    @Override
    public void closed(Connection from, String reason) {
      Listener there = listener.get();
      if (there != null) {
        there.lost(from);
      }
    }
  }
}

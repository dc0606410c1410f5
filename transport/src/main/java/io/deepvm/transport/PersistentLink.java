package io.deepvm.transport;

import io.deepvm.transport.TransferOutcome.Status;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.ExecutionException;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A way to one address that outlives its connections: it connects when needed, and what is
 * interrupted goes on from where it was. Its methods block; it has no threads of its own.
 */
public final class PersistentLink implements AutoCloseable {

  private final TransportClient client;
  private final InetSocketAddress address;
  private final Backoff backoff;
  private @Nullable Connection connection;
  private boolean closed;

  /** Makes a link; nothing is connected yet. */
  public PersistentLink(TransportClient client, InetSocketAddress address, Backoff backoff) {
    this.client = client;
    this.address = address;
    this.backoff = backoff;
  }

  /** Sends a transfer, again and again if it must be, and closes the source. */
  public TransferOutcome send(TransferHeader header, Source source) throws InterruptedException {
    try (source) {
      return untilEnded((there, soFar) -> there.send(header, stayingOpen(source)));
    }
  }

  /** Sends the remaining bytes of these buffers. */
  public TransferOutcome send(TransferHeader header, ByteBuffer... buffers)
      throws InterruptedException {
    return send(header, Source.of(buffers));
  }

  /** Fetches what has this name into these buffers. */
  public TransferOutcome fetch(Name name, ByteBuffer... targets) throws InterruptedException {
    return untilEnded((there, soFar) -> there.fetch(name, soFar, targets));
  }

  /** Returns a connection that was open a moment ago, connecting if there is none. */
  public synchronized Connection connection() throws IOException {
    if (closed) {
      throw new IOException("The link to " + address + " is closed.");
    }
    if (connection == null || !connection.isOpen()) {
      connection = client.connect(address);
    }
    return connection;
  }

  /** Ends the connection; what is under way is interrupted and not tried again. */
  @Override
  public synchronized void close() {
    closed = true;
    if (connection != null) {
      connection.close();
    }
    notifyAll();
  }

  private TransferOutcome untilEnded(BiFunction<Connection, TransferProgress, Transfer> attempt)
      throws InterruptedException {
    TransferProgress furthest = TransferProgress.NONE;
    long movedAt = client.now();
    var pause = backoff.first();
    while (true) {
      TransferOutcome outcome;
      try {
        outcome = await(attempt.apply(connection(), furthest));
      } catch (IOException e) {
        outcome = new TransferOutcome(Status.INTERRUPTED, furthest, String.valueOf(e.getMessage()));
      }
      if (!outcome.resumable()) {
        return outcome;
      }
      if (outcome.acknowledged().offset() > furthest.offset()) {
        furthest = outcome.acknowledged();
        movedAt = client.now();
        pause = backoff.first();
      }
      if (client.now() - movedAt > backoff.patience().toNanos()
          || isClosedAfter(pause.toMillis())) {
        return outcome;
      }
      pause = backoff.after(pause);
    }
  }

  /** Waits for an outcome, which the transfer's own timeouts bring about in any case. */
  private static TransferOutcome await(Transfer transfer) throws InterruptedException {
    try {
      return transfer.outcome().get();
    } catch (InterruptedException e) {
      transfer.cancel("The waiting thread was interrupted.");
      // The caller may have its buffers back only when nothing touches them any more.
      transfer.outcome().join();
      throw e;
    } catch (ExecutionException e) {
      throw new IllegalStateException("An outcome never comes exceptionally.", e);
    }
  }

  /** Waits and returns whether the link was closed meanwhile. */
  private synchronized boolean isClosedAfter(long millis) throws InterruptedException {
    long deadline = client.now() + millis * 1_000_000;
    long left = millis;
    while (!closed && left > 0) {
      wait(left);
      left = (deadline - client.now()) / 1_000_000;
    }
    return closed;
  }

  private static Source stayingOpen(Source source) {
    return new Source() {
      @Override
      public long length() {
        return source.length();
      }

      @Override
      public ByteBuffer[] read(long offset, int length, ByteBuffer scratch) throws IOException {
        return source.read(offset, length, scratch);
      }
    };
  }
}

package io.deepvm.transport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * All that a connection has to write, and the thread that writes it: control frames first, and with
 * them one chunk of each transfer that has credit, in turn.
 */
final class Outbox implements Runnable {

  /** For frames that say little, beside the answers and the requests of this side. */
  private static final int SMALL_FRAMES_BYTES = 1 << 20;

  /** What a frame takes of the memory beside its bytes. */
  private static final int FRAME_OVERHEAD = 64;

  private static final int CONTROL_FRAMES_AT_ONCE = 64;
  private static final int CONTROL_BYTES_AT_ONCE = 1 << 20;

  /** A frame that waits, and what to run once it is written. */
  private record Waiting(ByteBuffer bytes, Runnable written) {

    int cost() {
      return bytes.capacity() + FRAME_OVERHEAD;
    }
  }

  private final TransportWire wire;
  private final LongSupplier nanoClock;
  private final Consumer<String> failed;
  private final long mostRequestBytes;
  private final long mostBytes;
  private final ArrayDeque<Waiting> control = new ArrayDeque<>();
  private final ArrayDeque<Outgoing> ready = new ArrayDeque<>();
  private final Scratch scratch = new Scratch();
  private boolean closed;
  private @Nullable String leaving;
  private boolean writing;
  private long turnedAt;
  private long heldBytes;

  Outbox(TransportWire wire, Limits limits, LongSupplier nanoClock, Consumer<String> failed) {
    this.wire = wire;
    mostRequestBytes =
        (long) limits.requests() * (limits.messageBytes() + FRAME_OVERHEAD + Frame.BYTES);
    mostBytes = 2 * mostRequestBytes + SMALL_FRAMES_BYTES;
    this.nanoClock = nanoClock;
    this.failed = failed;
    turnedAt = nanoClock.getAsLong();
  }

  /** Writes a control frame soon. */
  void post(Frame.Type type, int stream, long offset, ByteBuffer payload) {
    post(Frame.of(type, stream, offset, payload), payload);
  }

  /** Writes a control frame with this payload soon. */
  void post(Frame frame, ByteBuffer payload) {
    post(frame, payload, () -> {});
  }

  /** Writes a control frame soon and then runs the action. */
  void post(Frame frame, ByteBuffer payload, Runnable written) {
    if (!add(frame, payload, written, mostBytes)) {
      failed.accept("The other side does not read what it asked for.");
    }
  }

  /** Writes a request of this side soon; false when too many of them wait to be written. */
  boolean tryPost(Frame frame, ByteBuffer payload) {
    return add(frame, payload, () -> {}, mostRequestBytes);
  }

  private boolean add(Frame frame, ByteBuffer payload, Runnable written, long most) {
    ByteBuffer bytes = ByteBuffer.allocate(Frame.BYTES + frame.length());
    frame.encode(bytes);
    bytes.put(payload).flip();
    Waiting waiting = new Waiting(bytes, written);
    synchronized (this) {
      if (closed || leaving != null) {
        return true;
      }
      if (heldBytes + waiting.cost() > most) {
        return false;
      }
      heldBytes += waiting.cost();
      control.add(waiting);
      notifyAll();
      return true;
    }
  }

  /** Returns how many bytes of frames wait or are being written. */
  synchronized long heldBytes() {
    return heldBytes;
  }

  /** Sends the reason to the other side, then ends. */
  synchronized void leave(String reason) {
    post(Frame.Type.BYE, 0, 0, Payload.reason(reason));
    leaving = reason;
  }

  /** Gives a transfer its turns as long as it has something to send. */
  synchronized void offer(Outgoing transfer) {
    if (!closed && !transfer.queued) {
      transfer.queued = true;
      ready.add(transfer);
      notifyAll();
    }
  }

  synchronized void close() {
    closed = true;
    control.clear();
    ready.clear();
    notifyAll();
  }

  /** Returns how long ago the thread began to write what it is writing, 0 if it is not. */
  synchronized long stuckNanos() {
    return writing ? nanoClock.getAsLong() - turnedAt : 0;
  }

  /** Returns how long ago the thread wrote the last time, 0 if it is writing. */
  synchronized long quietNanos() {
    return writing ? 0 : nanoClock.getAsLong() - turnedAt;
  }

  @Override
  public void run() {
    try {
      while (writeOne()) {}
    } catch (IOException e) {
      failed.accept("Writing failed: " + e.getMessage());
    } catch (RuntimeException | Error e) {
      // Such as a mapped file that was cut short under our hands.
      failed.accept("The writer failed: " + e);
    }
  }

  /** Writes what is next, waiting for it; false when there will be nothing any more. */
  private boolean writeOne() throws IOException {
    List<Waiting> batch = new ArrayList<>();
    Outgoing transfer = null;
    String last;
    int cost = 0;
    synchronized (this) {
      turn(false);
      awaitWork();
      if (closed) {
        return false;
      }
      while (!control.isEmpty()
          && batch.size() < CONTROL_FRAMES_AT_ONCE
          && cost < CONTROL_BYTES_AT_ONCE) {
        Waiting next = control.remove();
        cost += next.cost();
        batch.add(next);
      }
      last = control.isEmpty() ? leaving : null;
      if (control.isEmpty() && leaving == null && !ready.isEmpty()) {
        transfer = ready.remove();
        transfer.queued = false;
      }
      turn(true);
    }
    List<ByteBuffer> frames = batch.stream().map(Waiting::bytes).toList();
    if (transfer != null && transfer.writeNext(wire, frames, scratch)) {
      offer(transfer);
    } else if (!frames.isEmpty()) {
      wire.write(frames.toArray(ByteBuffer[]::new));
    }
    release(cost);
    batch.forEach(frame -> frame.written.run());
    if (last != null) {
      failed.accept(last);
    }
    return last == null;
  }

  private synchronized void release(long bytes) {
    heldBytes -= bytes;
  }

  private synchronized void awaitWork() throws IOException {
    try {
      while (!closed && control.isEmpty() && (leaving != null || ready.isEmpty())) {
        wait();
      }
    } catch (InterruptedException e) {
      throw new IOException("The writer was interrupted.", e);
    }
  }

  private void turn(boolean nowWriting) {
    writing = nowWriting;
    turnedAt = nanoClock.getAsLong();
  }
}

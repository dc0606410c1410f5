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

  /** A peer that makes us answer this much without reading it is not a good one. */
  private static final int MOST_CONTROL_FRAMES = 8192;

  private static final int CONTROL_FRAMES_AT_ONCE = 64;

  private final Wire wire;
  private final LongSupplier nanoClock;
  private final Consumer<String> failed;
  private final ArrayDeque<ByteBuffer> control = new ArrayDeque<>();
  private final ArrayDeque<Outgoing> ready = new ArrayDeque<>();
  private final Scratch scratch = new Scratch();
  private boolean closed;
  private @Nullable String leaving;
  private boolean writing;
  private long turnedAt;

  Outbox(Wire wire, LongSupplier nanoClock, Consumer<String> failed) {
    this.wire = wire;
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
    ByteBuffer bytes = ByteBuffer.allocate(Frame.BYTES + frame.length());
    frame.encode(bytes);
    bytes.put(payload).flip();
    boolean full;
    synchronized (this) {
      if (closed || leaving != null) {
        return;
      }
      control.add(bytes);
      full = control.size() > MOST_CONTROL_FRAMES;
      notifyAll();
    }
    if (full) {
      failed.accept("The other side does not read what it asked for.");
    }
  }

  /** Tells the other side why this one goes, and then goes. */
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
    List<ByteBuffer> frames = new ArrayList<>();
    Outgoing transfer = null;
    String last;
    synchronized (this) {
      turn(false);
      awaitWork();
      if (closed) {
        return false;
      }
      while (!control.isEmpty() && frames.size() < CONTROL_FRAMES_AT_ONCE) {
        frames.add(control.remove());
      }
      last = control.isEmpty() ? leaving : null;
      if (control.isEmpty() && leaving == null && !ready.isEmpty()) {
        transfer = ready.remove();
        transfer.queued = false;
      }
      turn(true);
    }
    if (transfer != null && transfer.writeNext(wire, frames, scratch)) {
      offer(transfer);
    } else if (!frames.isEmpty()) {
      wire.write(frames.toArray(ByteBuffer[]::new));
    }
    if (last != null) {
      failed.accept(last);
    }
    return last == null;
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

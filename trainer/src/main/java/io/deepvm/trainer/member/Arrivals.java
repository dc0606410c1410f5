package io.deepvm.trainer.member;

import io.deepvm.transport.Connection;
import io.deepvm.transport.Decision;
import io.deepvm.transport.Handler;
import io.deepvm.transport.Name;
import io.deepvm.transport.Source;
import io.deepvm.transport.TransferHeader;
import io.deepvm.transport.TransferOutcome;
import io.deepvm.transport.TransferProgress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Passes what other members send to the strategy, and knows the transfers that still arrive. */
final class Arrivals implements Handler {

  /** The question of a member that is at work and has nothing to ask. */
  static final byte[] AT_WORK = new byte[0];

  private final LongSupplier generation;
  private final AtomicLong moved;
  private final Runnable wake;
  private final AtomicLong reports = new AtomicLong();

  // Guarded by itself.
  private final Map<UUID, Connection> arriving = new HashMap<>();

  private volatile Conversation conversation = new NoConversation();

  /**
   * Takes nothing until it is started.
   *
   * @param generation the one that is formed here
   * @param moved counts the bytes that move
   * @param wake runs after each change that the training thread may wait for
   */
  Arrivals(LongSupplier generation, AtomicLong moved, Runnable wake) {
    this.generation = generation;
    this.moved = moved;
    this.wake = wake;
  }

  void start(Conversation strategy) {
    conversation = strategy;
  }

  Conversation conversation() {
    return conversation;
  }

  /** Returns how often others have reported that they are at work. */
  long reportsOfWork() {
    return reports.get();
  }

  /**
   * Waits until nothing arrives any more.
   *
   * @param patience after this time the connections are closed
   * @param atMost after this further time it fails
   */
  void awaitNone(Duration patience, Duration atMost) throws InterruptedException {
    synchronized (arriving) {
      long deadline = System.nanoTime() + patience.toNanos();
      long left = patience.toMillis();
      while (!arriving.isEmpty() && left > 0) {
        arriving.wait(left);
        left = (deadline - System.nanoTime()) / 1_000_000;
      }
      // A sender that has not stopped by now will not stop by itself.
      List.copyOf(arriving.values()).forEach(Connection::close);
      deadline = System.nanoTime() + atMost.toNanos();
      while (!arriving.isEmpty()) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("Bytes of an older generation do not stop arriving.");
        }
        arriving.wait(patience.toMillis());
      }
    }
  }

  @Override
  public Decision incoming(Connection from, TransferHeader header, TransferProgress soFar)
      throws IOException {
    synchronized (arriving) {
      if (header.generation() != generation.getAsLong()) {
        return Decision.refuse("Generation " + header.generation() + " is not formed here.");
      }
      Conversation taking = conversation;
      String name = header.name().text();
      ByteBuffer[] place = taking.place(header.generation(), name);
      arriving.put(header.id(), from);
      return Decision.into(
          soFar,
          (offset, length) -> {
            moved.addAndGet(length);
            taking.arrived(header.generation(), name, offset, length);
          },
          place);
    }
  }

  @Override
  public void received(Connection from, TransferHeader header, int crc32c) throws IOException {
    try {
      if (header.generation() == generation.getAsLong()) {
        conversation.received(header.generation(), header.name().text());
      }
    } finally {
      // Not earlier: until then what has come is being worked on.
      forget(from, header);
    }
    wake.run();
  }

  @Override
  public void interrupted(
      Connection from,
      TransferHeader header,
      TransferProgress soFar,
      TransferOutcome.Status why,
      String reason) {
    forget(from, header);
  }

  /** Unless it has come on a newer connection since, where it is still arriving. */
  private void forget(Connection from, TransferHeader header) {
    synchronized (arriving) {
      arriving.remove(header.id(), from);
      arriving.notifyAll();
    }
  }

  @Override
  public Source outgoing(Connection to, Name name) throws IOException {
    Source bytes = Source.of(conversation.find(name.text()));
    return new Source() {
      @Override
      public long length() {
        return bytes.length();
      }

      @Override
      public ByteBuffer[] read(long offset, int length, ByteBuffer scratch) throws IOException {
        moved.addAndGet(length);
        return bytes.read(offset, length, scratch);
      }
    };
  }

  @Override
  public byte[] answer(Connection from, byte[] question) throws IOException {
    if (question.length == 0) {
      reports.incrementAndGet();
      return AT_WORK;
    }
    byte[] answer = conversation.answer(question);
    wake.run();
    return answer;
  }
}

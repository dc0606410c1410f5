package io.deepvm.transport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/** Hands checked chunks to a sink in their order, on one worker at a time. */
final class SinkFeed {

  /** Receives what became of the chunks. */
  interface Owner {

    /** The sink has taken a chunk, whose buffer is given back already. */
    void written(ReceivedChunk chunk);

    /** The sink has failed; called once the buffer is given back. */
    void failed(Exception problem);

    /** Nothing is queued any more. Must not block: a lock of the feed is held. */
    void drained();
  }

  private final Gate gate;
  private final Executor workers;
  private final Budget budget;
  private final Sink sink;
  private final Owner owner;
  private final ArrayDeque<ReceivedChunk> queue = new ArrayDeque<>();
  private boolean draining;

  SinkFeed(Gate gate, Executor workers, Budget budget, Sink sink, Owner owner) {
    this.gate = gate;
    this.workers = workers;
    this.budget = budget;
    this.sink = sink;
    this.owner = owner;
  }

  /** Queues a chunk and returns at once. */
  void add(ReceivedChunk chunk) {
    boolean drain;
    synchronized (this) {
      queue.add(chunk);
      drain = !draining;
      draining = true;
    }
    if (drain) {
      workers.execute(this::drain);
    }
  }

  /** Returns whether nothing is queued and nothing is being written. */
  synchronized boolean isIdle() {
    return queue.isEmpty() && !draining;
  }

  private void drain() {
    while (gate.enter()) {
      try {
        ReceivedChunk chunk;
        synchronized (this) {
          chunk = queue.poll();
          if (chunk == null) {
            owner.drained();
            draining = false;
            return;
          }
        }
        write(chunk);
      } finally {
        gate.exit();
      }
    }
  }

  private void write(ReceivedChunk chunk) {
    try {
      ByteBuffer bytes = chunk.buffer();
      if (bytes != null) {
        sink.write(chunk.offset(), bytes);
      }
    } catch (IOException | RuntimeException e) {
      budget.giveBack(chunk);
      owner.failed(e);
      return;
    }
    budget.giveBack(chunk);
    owner.written(chunk);
  }

  /** Gives the buffers of all queued chunks back; called once the gate is shut. */
  synchronized void drop() {
    queue.forEach(budget::giveBack);
    queue.clear();
  }
}

package io.deepvm.checkpoint;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.memory.Arena;
import io.deepvm.checkpoint.memory.Image;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds room in the arena for each save, by the rule for saves that come faster than storage. */
final class Admission {

  private final EngineOptions options;
  private final EngineLife life;
  private final Deliveries deliveries;
  private volatile @Nullable Arena arena;

  Admission(EngineOptions options, EngineLife life, Deliveries deliveries) {
    this.options = options;
    this.life = life;
    this.deliveries = deliveries;
  }

  void open(Arena memory) {
    arena = memory;
  }

  /** Returns whether saves are taken. */
  boolean isOpen() {
    return arena != null && life.isStarted();
  }

  /** Returns whether a state of this size would find room without dropping another. */
  boolean hasRoom(long bytes) {
    Arena pool = arena;
    return pool != null && pool.available() >= pool.cost(bytes);
  }

  /** Returns the bytes of the arena that are in use. */
  long bytesInUse() {
    Arena pool = arena;
    return pool == null ? 0 : pool.capacity() - pool.available();
  }

  /** Returns room for the state of a ticket, or ends the ticket and returns null. */
  @Nullable Image room(Ticket ticket) {
    List<Save> dropped = new ArrayList<>();
    Arena pool = arena;
    boolean fits = pool != null && pool.cost(ticket.bytes()) <= pool.capacity();
    Image image = null;
    String refusal = null;
    life.lock();
    try {
      if (pool != null && fits && life.isStarted()) {
        image = acquire(pool, ticket, dropped);
      }
      refusal = image == null ? whyNoRoom(ticket, fits) : null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      refusal = "Training was interrupted while it waited for room.";
    } finally {
      life.unlock();
    }
    dropped.forEach(deliveries::conclude);
    if (refusal != null) {
      deliveries.refuse(ticket, fits ? TicketState.SKIPPED : TicketState.FAILED, refusal);
    }
    return image;
  }

  private @Nullable Image acquire(Arena pool, Ticket ticket, List<Save> dropped)
      throws InterruptedException {
    Image image = pool.acquire(ticket.bytes());
    if (image == null && options.behind() == Behind.COALESCE) {
      image = makeRoom(pool, ticket, dropped) ? pool.acquire(ticket.bytes()) : null;
    }
    if (image == null && options.behind() == Behind.BLOCK) {
      @Nullable Image[] found = {null};
      life.awaitWhile(
          () -> life.isStarted() && (found[0] = pool.acquire(ticket.bytes())) == null,
          options.blockTimeout().toNanos());
      image = found[0];
    }
    return image;
  }

  private String whyNoRoom(Ticket ticket, boolean fits) {
    if (!life.isStarted()) {
      return "The engine is not running.";
    }
    return fits
        ? "Storage is behind: the steps %s are still being written."
            .formatted(deliveries.open().stream().map(Save::step).sorted().toList())
        : "The state (%s) is larger than the arena (%s)."
            .formatted(new DataSize(ticket.bytes()), options.arena());
  }

  /** Drops the oldest waiting saves until there is room, or none if that would not do. */
  private boolean makeRoom(Arena pool, Ticket ticket, List<Save> dropped) {
    List<Save> victims = new ArrayList<>();
    long free = pool.available();
    for (Save save : deliveries.open()) {
      if (free >= pool.cost(ticket.bytes())) {
        break;
      }
      if (save.isDroppable()) {
        victims.add(save);
        free += pool.cost(save.shard().bytes());
      }
    }
    if (free < pool.cost(ticket.bytes())) {
      return false;
    }
    for (Save victim : victims) {
      deliveries.leaveOut(victim, "Step %d took its place.".formatted(ticket.version().step()));
      dropped.add(victim);
    }
    return true;
  }

  /** Gives back room that was not filled. */
  void release(Image image) {
    image.close();
    life.lock();
    try {
      // a save that waits for room looks again
      life.signal();
    } finally {
      life.unlock();
    }
  }
}

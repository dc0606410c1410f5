package io.deepvm.checkpoint.agent;

import io.deepvm.base.BadInput;
import io.deepvm.base.DaemonThreads;
import io.deepvm.checkpoint.CheckpointEngine;
import io.deepvm.checkpoint.ClosingReport;
import io.deepvm.checkpoint.Reservation;
import io.deepvm.checkpoint.Ticket;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.TensorSpec;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One client's time with the agent: a generation, an engine and its shared memory. What the client
 * has staged is written even when the client is gone; what it was still copying is given up.
 */
final class ClientSession {

  /** Older tickets are forgotten. */
  private static final int MOST_TICKETS = 1_000;

  private final Claim claim;
  private final CheckpointEngine engine;
  private final SharedArena arena;
  private final Ends ends;
  private final Map<Long, Ticket> tickets = new LinkedHashMap<>();
  private @Nullable Reservation pending;
  private long pendingTicket;
  private @Nullable Begun newest;
  private @Nullable Thread noticing;
  private long count;
  private boolean ending;
  private @Nullable ClosingReport report;

  /** What others must know of a session. */
  interface Ends {

    /** The client has copied a state, which will be written. */
    void staged(Ticket ticket);

    /** The session has ended, and its engine counts no more. */
    void ended();
  }

  ClientSession(Claim claim, CheckpointEngine engine, SharedArena arena, Ends ends) {
    this.claim = claim;
    this.engine = engine;
    this.arena = arena;
    this.ends = ends;
  }

  Claim claim() {
    return claim;
  }

  long generation() {
    return claim.generation();
  }

  SharedArena arena() {
    return arena;
  }

  boolean shouldSave(long step) {
    return engine.shouldSave(step);
  }

  /** A save that has begun; its reservation has no image when there is no room for it. */
  record Begun(long ticket, Reservation reservation) {}

  /** Makes room for a state; one that was not finished before is given up. */
  Begun save(long step, List<TensorSpec> tensors, Map<String, String> metadata) {
    dropPending("The client began another save.");
    // outside the lock: this may wait for room, and ending must not wait for it
    Reservation reservation = engine.reserve(step, tensors, metadata);
    synchronized (this) {
      long ticket = ++count;
      tickets.put(ticket, reservation.ticket());
      if (tickets.size() > MOST_TICKETS) {
        tickets.remove(tickets.keySet().iterator().next());
      }
      if (ending) {
        reservation.cancel("The session has ended.");
      } else {
        pending = reservation;
        pendingTicket = ticket;
      }
      return new Begun(ticket, reservation);
    }
  }

  /** Takes over what the client has copied. */
  synchronized Ticket staged(long ticket) {
    Reservation reservation = pending;
    if (reservation == null || pendingTicket != ticket) {
      throw new BadInput(
          "No save with the ticket %d has begun.".formatted(ticket), "Maybe begin it first.");
    }
    pending = null;
    reservation.stage();
    ends.staged(reservation.ticket());
    newest = new Begun(ticket, reservation);
    return reservation.ticket();
  }

  /**
   * Prepares for the loss of the node: the newest save goes before all others. Does not wait for
   * it; how it fares is in its ticket.
   *
   * @return the newest save; null when nothing was saved
   */
  synchronized @Nullable Begun notice(Duration lead) {
    Thread before = noticing;
    if (before != null) {
      // what it had to do is done; it only waits
      before.interrupt();
    }
    Thread thread = DaemonThreads.of("deepvm-agent-notice", () -> putFirst(lead));
    thread.start();
    noticing = thread;
    return newest;
  }

  private void putFirst(Duration lead) {
    try {
      engine.notice(lead);
    } catch (InterruptedException e) {
      // another notice has come
    }
  }

  synchronized Ticket ticket(long ticket) {
    Ticket found = tickets.get(ticket);
    if (found == null) {
      throw new BadInput(
          "There is no ticket %d.".formatted(ticket),
          "Maybe it is one of the last %d no more.".formatted(MOST_TICKETS));
    }
    return found;
  }

  private synchronized void dropPending(String reason) {
    Reservation reservation = pending;
    pending = null;
    if (reservation != null) {
      reservation.cancel(reason);
    }
  }

  /** Writes what is staged until the deadline, then ends; called again, it waits for the first. */
  ClosingReport end(Duration drain) throws IOException, InterruptedException {
    synchronized (this) {
      ending = true;
    }
    dropPending("The client has gone.");
    synchronized (engine) {
      ClosingReport known = report;
      if (known == null) {
        known = engine.close(drain);
        report = known;
        ends.ended();
        arena.close();
      }
      return known;
    }
  }
}

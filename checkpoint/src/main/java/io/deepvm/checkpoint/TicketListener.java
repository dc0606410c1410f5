package io.deepvm.checkpoint;

/** Receives each change of a save, on the thread that made it; it should return at once. */
public interface TicketListener {

  /** The ticket has come to this state. */
  void changed(Ticket ticket, TicketState state);
}

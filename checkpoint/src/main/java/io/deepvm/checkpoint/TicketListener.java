package io.deepvm.checkpoint;

/** Is told how saves fare, on the thread that brought the change; it should return at once. */
public interface TicketListener {

  /** The ticket has come to this state. */
  void changed(Ticket ticket, TicketState state);
}

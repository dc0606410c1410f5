package io.deepvm.checkpoint;

import io.deepvm.checkpoint.memory.Image;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Room for one state in the engine's arena, to be filled by the caller and then handed over. */
public final class Reservation {

  /** What becomes of the room. */
  interface Ends {
    void staged(Image filled);

    void cancelled(Image unfilled, String reason);
  }

  private final Ticket ticket;
  private final @Nullable Image image;
  private final Map<String, Long> offsets;
  private final Ends ends;
  private final AtomicBoolean ended = new AtomicBoolean();

  Reservation(Ticket ticket, @Nullable Image image, Map<String, Long> offsets, Ends ends) {
    this.ticket = ticket;
    this.image = image;
    this.offsets = Map.copyOf(offsets);
    this.ends = ends;
  }

  /** Returns the fate of the save; settled already when there was no room. */
  public Ticket ticket() {
    return ticket;
  }

  /** Returns the room, or null when there is none. */
  public @Nullable Image image() {
    return image;
  }

  /** Returns where in the room the bytes of each tensor belong. */
  public Map<String, Long> offsets() {
    return offsets;
  }

  /** Hands the filled room over; from now on nobody may write into it. */
  public void stage() {
    if (image != null && ended.compareAndSet(false, true)) {
      ends.staged(image);
    }
  }

  /** Gives the room back unless it was handed over; the save has failed. */
  public void cancel(String reason) {
    if (image != null && ended.compareAndSet(false, true)) {
      ends.cancelled(image, reason);
    }
  }
}

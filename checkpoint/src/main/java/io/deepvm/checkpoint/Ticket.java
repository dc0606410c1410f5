package io.deepvm.checkpoint;

import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The fate of one save. Its state only rises; it is settled once nothing more will happen, either
 * because it has come as far as the tiers go or because the rest failed, for the reasons given.
 */
public final class Ticket {

  private static final System.Logger LOG = System.getLogger(Ticket.class.getName());

  private final Version version;
  private final long bytes;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<String> reasons = new ArrayList<>();
  private final List<TicketListener> listeners = new ArrayList<>();
  private TicketState state = TicketState.STAGED;
  private boolean settled;

  Ticket(Version version, long bytes) {
    this.version = version;
    this.bytes = bytes;
  }

  /** Returns what is saved. */
  public Version version() {
    return version;
  }

  /** Returns the bytes of tensors that this worker saves. */
  public long bytes() {
    return bytes;
  }

  /** Returns how far the save has come. */
  public TicketState state() {
    lock.lock();
    try {
      return state;
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether the state is final. */
  public boolean settled() {
    lock.lock();
    try {
      return settled;
    } finally {
      lock.unlock();
    }
  }

  /** Returns why the save was skipped or failed, or failed in some tier; empty when all is well. */
  public List<String> reasons() {
    lock.lock();
    try {
      return List.copyOf(reasons);
    } finally {
      lock.unlock();
    }
  }

  /** Reports each later change to the listener. */
  void listenLater(TicketListener listener) {
    lock.lock();
    try {
      listeners.add(listener);
    } finally {
      lock.unlock();
    }
  }

  /** Reports the present state to the listener at once, and each later change. */
  public void listen(TicketListener listener) {
    TicketState now;
    lock.lock();
    try {
      listeners.add(listener);
      now = state;
    } finally {
      lock.unlock();
    }
    listener.changed(this, now);
  }

  /**
   * Waits until the save is committed at this level or above, can no longer be, or the time is up.
   *
   * @return whether it is
   */
  public boolean await(Level level, Duration timeout) throws InterruptedException {
    long rest = timeout.toNanos();
    lock.lock();
    try {
      while (!settled && !state.reaches(level) && rest > 0) {
        rest = changed.awaitNanos(rest);
      }
      return state.reaches(level);
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the save is settled or the time is up, and returns whether it is. */
  public boolean awaitSettled(Duration timeout) throws InterruptedException {
    long rest = timeout.toNanos();
    lock.lock();
    try {
      while (!settled && rest > 0) {
        rest = changed.awaitNanos(rest);
      }
      return settled;
    } finally {
      lock.unlock();
    }
  }

  /** Reports to the listeners that the state is staged. */
  void announce() {
    tell(TicketState.STAGED);
  }

  /** Notes a commit at a level, which changes nothing if a higher one was reached before. */
  void committed(Level level) {
    lock.lock();
    try {
      // a thread that hung over the engine's end may come late
      if (settled || state.reaches(level)) {
        return;
      }
      move(TicketState.of(level));
    } finally {
      lock.unlock();
    }
    tell(TicketState.of(level));
  }

  /** Moves to a state that may follow the present one. */
  void become(TicketState next) {
    lock.lock();
    try {
      move(next);
    } finally {
      lock.unlock();
    }
    tell(next);
  }

  private void move(TicketState next) {
    if (settled || !state.mayBecome(next)) {
      throw new IllegalStateException(
          "%s is %s%s and cannot become %s."
              .formatted(version, state, settled ? " for good" : "", next));
    }
    state = next;
    changed.signalAll();
  }

  private void tell(TicketState next) {
    List<TicketListener> told;
    lock.lock();
    try {
      told = List.copyOf(listeners);
    } finally {
      lock.unlock();
    }
    for (TicketListener listener : told) {
      try {
        listener.changed(this, next);
      } catch (RuntimeException | Error e) {
        LOG.log(System.Logger.Level.WARNING, "A listener failed.", e);
      }
    }
  }

  /** Notes why a tier did not get the save. */
  void note(String reason) {
    lock.lock();
    try {
      reasons.add(reason);
    } finally {
      lock.unlock();
    }
  }

  /** Says that nothing more will happen. */
  void settle() {
    lock.lock();
    try {
      settled = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String toString() {
    return "%s: %s %s".formatted(version, state(), reasons());
  }
}

package io.deepvm.cluster.link;

import io.deepvm.transport.Connection;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages of one kind: at most one waits for its answer, and a newer one replaces those that
 * were not sent. So they arrive in order, and a peer that does not read holds up nothing here.
 */
final class Outlet {

  private final Executor executor;
  private @Nullable Connection connection;
  private @Nullable LinkMessage message;
  private @Nullable LinkMessage brief;
  private boolean due;
  private boolean answered;
  private boolean underway;

  /** Makes an outlet that encodes and sends on this executor. */
  Outlet(Executor executor) {
    this.executor = executor;
  }

  /** Sends the message, which replaces the last one. */
  void put(LinkMessage next) {
    put(next, next);
  }

  /**
   * Sends the message, which replaces the last one.
   *
   * @param repeated is sent by {@link #repeat} once the message was answered on a connection
   */
  synchronized void put(LinkMessage next, LinkMessage repeated) {
    message = next;
    brief = repeated;
    answered = false;
    due = true;
    sendSoon();
  }

  /** Sends nothing any more until the next {@link #put}. */
  synchronized void clear() {
    message = null;
    due = false;
    notifyAll();
  }

  /** Uses this connection from now on and sends the last message over it. */
  synchronized void use(@Nullable Connection next) {
    connection = next;
    underway = false;
    answered = false;
    due = message != null;
    sendSoon();
  }

  /** Stops using the connection, unless another is used by now. */
  synchronized void drop(Connection broken) {
    if (connection == broken) {
      use(null);
    }
  }

  /** Sends the last message again as a sign of life. */
  synchronized void repeat() {
    due |= message != null;
    sendSoon();
  }

  /** Waits until the last message was answered, for this long at most. */
  synchronized void awaitAnswer(long millis, LongSupplier nanoClock) throws InterruptedException {
    long deadline = nanoClock.getAsLong() + millis * 1_000_000;
    long left = millis;
    while (message != null && !answered && connection != null && left > 0) {
      wait(left);
      left = (deadline - nanoClock.getAsLong()) / 1_000_000;
    }
  }

  private void sendSoon() {
    if (due && !underway && connection != null) {
      underway = true;
      executor.execute(this::send);
    }
  }

  private void send() {
    Connection to;
    LinkMessage next;
    LinkMessage sent;
    synchronized (this) {
      to = connection;
      next = message;
      sent = answered ? brief : message;
      if (to == null || next == null || sent == null) {
        underway = false;
        return;
      }
      due = false;
    }
    var unused =
        to.request(sent.encode())
            .whenComplete((answer, failure) -> over(to, next, failure == null));
  }

  private synchronized void over(Connection on, LinkMessage sent, boolean well) {
    if (connection != on) {
      return;
    }
    underway = false;
    if (message == sent) {
      // After a failure the whole message goes again, with the next repetition.
      answered = well;
      notifyAll();
    }
    if (well) {
      sendSoon();
    }
  }
}

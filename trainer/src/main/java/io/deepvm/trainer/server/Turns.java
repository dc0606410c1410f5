package io.deepvm.trainer.server;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Whose turn it is to use one direction of a server's link, first come, first served. Transfers
 * that share a link all end late; one after the other, each but the last ends sooner and none ends
 * later. Where one worker alone does not fill the link, several have their turn at once: how many
 * is found out by trying, seldom, since too many cost time.
 */
final class Turns {

  /** More would keep the transport's handlers from taking what arrives. */
  private static final int MOST_WAITING = 8;

  /** After this time a turn no longer blocks others: its worker may be gone. */
  private static final long STALE_NANOS = Duration.ofSeconds(10).toNanos();

  /** This many turns are enough to compare how fast they end. */
  private static final int TRIAL = 8;

  private static final int SOON = 64;
  private static final int SELDOM = 1024;

  private final LongSupplier clock;
  private final Map<Integer, Long> having = new HashMap<>();
  private final LinkedHashSet<Integer> asking = new LinkedHashSet<>();
  private int waiting;

  // How fast turns end while others wait for theirs, and how many at once are tried instead.
  private int atOnce = 1;
  private int change;
  private int lastChange = -1;
  private double usual;
  private int between = TRIAL;
  private int ended = -1;
  private long since;

  Turns(LongSupplier clock) {
    this.clock = clock;
  }

  /** Waits for a worker's turn at most this long, and returns whether it has come. */
  synchronized boolean take(int worker, Duration atMost) throws InterruptedException {
    asking.add(worker);
    long deadline = System.nanoTime() + atMost.toNanos();
    waiting++;
    try {
      while (!isNext(worker)) {
        long left = deadline - System.nanoTime();
        if (left <= 0 || waiting > MOST_WAITING) {
          return false;
        }
        wait(left / 1_000_000 + 1);
        if (!asking.contains(worker)) {
          // All were forgotten meanwhile.
          return false;
        }
      }
    } finally {
      waiting--;
    }
    asking.remove(worker);
    having.putIfAbsent(worker, clock.getAsLong());
    notifyAll();
    return true;
  }

  private boolean isNext(int worker) {
    if (having.containsKey(worker)) {
      return true;
    }
    long now = clock.getAsLong();
    having.values().removeIf(began -> now - began > STALE_NANOS);
    return having.size() < atOnce && asking.iterator().next() == worker;
  }

  /** A worker has had its turn. */
  synchronized void done(int worker) {
    if (having.remove(worker) != null) {
      learn(clock.getAsLong());
      notifyAll();
    }
  }

  /** Forgets everybody, but not what was learnt of the link. */
  synchronized void clear() {
    having.clear();
    asking.clear();
    atOnce -= change;
    change = 0;
    ended = -1;
    notifyAll();
  }

  synchronized int atOnce() {
    return atOnce;
  }

  /** Tries one more or one less at once at intervals, and keeps it where that is better. */
  private void learn(long now) {
    if (asking.isEmpty()) {
      // Nobody had to wait, so this says nothing of the link.
      ended = -1;
      return;
    }
    if (ended < 0) {
      since = now;
    }
    ended++;
    if (ended < (change == 0 ? between : TRIAL)) {
      return;
    }
    double rate = ended / (double) Math.max(1, now - since);
    since = now;
    ended = 0;
    if (change == 0) {
      usual = rate;
      change = atOnce == 1 ? 1 : -lastChange;
      atOnce += change;
      return;
    }
    // Half of what one more could bring, or one less could take.
    boolean keep = rate > usual * (1 + 0.5 * change / (atOnce - change));
    between = keep ? TRIAL : Math.min(SELDOM, Math.max(SOON, 2 * between));
    atOnce -= keep ? 0 : change;
    lastChange = change;
    change = 0;
  }
}

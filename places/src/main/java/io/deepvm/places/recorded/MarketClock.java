package io.deepvm.places.recorded;

import io.deepvm.places.Timers;
import java.time.Clock;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * The market's time, and tasks at its moments. It passes faster than real time by the speed, or at
 * a share of that, or stands still.
 */
final class MarketClock {

  private record Timer(double seconds, long number, Runnable task) {}

  private final Clock clock;
  private final double speed;
  private final Timers timers;
  private final PriorityQueue<Timer> due =
      new PriorityQueue<>(
          Comparator.comparingDouble(Timer::seconds).thenComparingLong(Timer::number));
  private double share = 1;
  private long setMs;
  private double setMarketMs;
  private long numbers;

  // The number of the wake-up that counts; the ones before it are void.
  private long wakeUp;

  MarketClock(Clock clock, double speed, Timers timers) {
    this.clock = clock;
    this.speed = speed;
    this.timers = timers;
  }

  /** Sets the clock. */
  void set(double marketMs, double atShare) {
    setMs = clock.millis();
    setMarketMs = marketMs;
    share = atShare;
    arm();
  }

  /** Lets time pass at a share of its speed from now on; 0 makes it stand still. */
  void pace(double newShare) {
    set(exactMs(), newShare);
  }

  /** Returns milliseconds of the market's time since the run started. */
  long marketMs() {
    return Math.round(exactMs());
  }

  private double exactMs() {
    return setMarketMs + (clock.millis() - setMs) * speed * share;
  }

  /** Returns seconds of the market's time since the run started. */
  double now() {
    return marketMs() / 1000.0;
  }

  /**
   * Returns the real seconds until a moment, if the pace stays; as if it ran when it stands still.
   */
  double realSecondsUntil(double seconds) {
    return (seconds - exactMs() / 1000) / (speed * (share > 0 ? share : 1));
  }

  /** Whether a moment has come; the clock counts whole milliseconds, so it may be early by one. */
  boolean isPast(double seconds) {
    return seconds * 1000 <= exactMs() + speed;
  }

  /** Runs the task at a moment of the market's time, or at once if it has passed. */
  void at(double seconds, Runnable task) {
    due.add(new Timer(seconds, ++numbers, task));
    arm();
  }

  /** Forgets all tasks. */
  void stop() {
    due.clear();
    wakeUp++;
  }

  private void arm() {
    long own = ++wakeUp;
    Timer next = due.peek();
    if (next != null && share > 0) {
      timers.after(
          Math.round(1e6 * Math.max(0, realSecondsUntil(next.seconds()))),
          () -> {
            if (own == wakeUp) {
              wake();
            }
          });
    }
  }

  private void wake() {
    Timer next = due.peek();
    if (next != null && isPast(next.seconds())) {
      due.remove();
      next.task().run();
    }
    arm();
  }
}

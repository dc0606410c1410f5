package io.deepvm.cluster;

import java.io.IOException;
import java.time.Clock;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * The market's time, and what is to happen at its moments. It passes as many times faster than real
 * time as the speed says, or at a share of that, or stands still.
 */
final class MarketClock {

  private record Timer(double seconds, long number, Loop.Step step) {}

  private final Clock clock;
  private final double speed;
  private final Loop loop;
  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>(
          Comparator.comparingDouble(Timer::seconds).thenComparingLong(Timer::number));
  private double share = 1;
  private long setMs;
  private double setMarketMs;
  private long numbers;

  // The number of the wake-up that counts; those before it are void.
  private long wakeUp;

  MarketClock(Clock clock, double speed, Loop loop) {
    this.clock = clock;
    this.speed = speed;
    this.loop = loop;
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

  double share() {
    return share;
  }

  /** Milliseconds of the market's time since the run's start. */
  long marketMs() {
    return Math.round(exactMs());
  }

  private double exactMs() {
    return setMarketMs + (clock.millis() - setMs) * speed * share;
  }

  /** Seconds of the market's time since the run's start. */
  double now() {
    return marketMs() / 1000.0;
  }

  /** Whether a moment has come; the clock counts whole milliseconds, so it may be early by one. */
  boolean isPast(double seconds) {
    return seconds * 1000 <= exactMs() + speed;
  }

  /** Takes the step at a moment of the market's time, or at once if it has passed. */
  void at(double seconds, Loop.Step step) {
    timers.add(new Timer(seconds, ++numbers, step));
    arm();
  }

  private void arm() {
    long own = ++wakeUp;
    Timer next = timers.peek();
    if (next != null && share > 0) {
      double wait = Math.max(0, (next.seconds() - exactMs() / 1000) / (speed * share));
      loop.after(
          wait,
          () -> {
            if (own == wakeUp) {
              wake();
            }
          });
    }
  }

  private void wake() throws IOException {
    Timer next = timers.peek();
    if (next != null && isPast(next.seconds())) {
      timers.remove();
      next.step().run();
    }
    arm();
  }
}

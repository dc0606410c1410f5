package io.deepvm.places.testing;

import io.deepvm.places.Timers;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.PriorityQueue;

/** A clock that stands still until a test moves it, and the timers that go by it. */
public final class TestTime extends Clock implements Timers {

  private record Timer(long atMicros, long number, Runnable task) {}

  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>(Comparator.comparing(Timer::atMicros).thenComparing(Timer::number));
  private long nowMicros;
  private long numbers;

  /** Stands still at a moment. */
  public TestTime(Instant start) {
    nowMicros = start.toEpochMilli() * 1000;
  }

  /** Lets time pass, and runs every task that is due. */
  public void pass(Duration time) {
    long until = nowMicros + time.toNanos() / 1000;
    while (!timers.isEmpty() && timers.peek().atMicros() <= until) {
      Timer next = timers.remove();
      nowMicros = Math.max(nowMicros, next.atMicros());
      next.task().run();
    }
    nowMicros = until;
  }

  @Override
  public void after(long micros, Runnable task) {
    timers.add(new Timer(nowMicros + micros, ++numbers, task));
  }

  /** Runs the task soon, like {@link #after}: there is one thread only. */
  @Override
  public void aside(Runnable task) {
    after(0, task);
  }

  @Override
  public Instant instant() {
    return Instant.EPOCH.plusNanos(nowMicros * 1000);
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    throw new UnsupportedOperationException();
  }
}

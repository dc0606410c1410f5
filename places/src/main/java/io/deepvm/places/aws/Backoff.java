package io.deepvm.places.aws;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/**
 * Pauses before requests are repeated. They double with each failure, and are drawn at random, so
 * that many nodes do not ask at the same moment.
 */
final class Backoff {

  private static final long FIRST_MICROS = 2_000_000;
  private static final int MOST_DOUBLINGS = 4;

  private final RandomGenerator random;
  private final AtomicInteger failures = new AtomicInteger();

  Backoff(RandomGenerator random) {
    this.random = random;
  }

  /** Notes that a request went through. */
  void succeeded() {
    failures.set(0);
  }

  /** Notes a failure, and returns the pause in microseconds. */
  long failed() {
    int doublings = Math.min(MOST_DOUBLINGS, failures.getAndIncrement());
    double share = 0.5 + random.nextDouble();
    return Math.round((FIRST_MICROS << doublings) * share);
  }
}

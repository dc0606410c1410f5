package io.deepvm.simulator;

/** The time of one simulated run, in whole milliseconds, and the market's tick that it is in. */
final class RunTime {

  private final int firstTick;
  private final long tickMs;
  private long nowMs;
  private int tick;

  RunTime(int firstTick, long tickMs) {
    this.firstTick = firstTick;
    this.tickMs = tickMs;
  }

  long nowMs() {
    return nowMs;
  }

  /** Returns the seconds since the start. */
  double now() {
    return nowMs / 1000.0;
  }

  long tickMs() {
    return tickMs;
  }

  /** Returns the number of ticks since the start. */
  int tick() {
    return tick;
  }

  /** Returns the present tick of the market's record. */
  int marketTick() {
    return firstTick + tick;
  }

  long nextTickMs() {
    return (tick + 1) * tickMs;
  }

  void moveTo(long ms) {
    nowMs = ms;
  }

  void nextTick() {
    tick++;
  }
}

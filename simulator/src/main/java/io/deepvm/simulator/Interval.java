package io.deepvm.simulator;

/** When the next checkpoint is due. */
public sealed interface Interval {

  /** No checkpoint at all. */
  record Never() implements Interval {}

  /** A checkpoint every so many seconds of training; 0 keeps every step at once. */
  record Fixed(double seconds) implements Interval {}

  /**
   * Young's rule, the square root of twice the stall times the mean time between losses, from the
   * losses seen so far in the run.
   *
   * @param lossesPerHour what is believed before any loss was seen, worth one hour of watching
   */
  record YoungDaly(double lossesPerHour) implements Interval {}
}

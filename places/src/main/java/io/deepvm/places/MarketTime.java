package io.deepvm.places;

/** The time of a market that is played rather than read, and so can pass more slowly. */
public interface MarketTime {

  /** Returns seconds of the market's time since the run started. */
  double now();

  /** Whether a moment of the market's time has come. */
  boolean isPast(double seconds);

  /** Runs the task at a moment of the market's time, or soon if it has passed. */
  void at(double seconds, Runnable task);

  /** Lets the market's time pass at a share of its speed from now on; 0 makes it stand still. */
  void pace(double share);
}

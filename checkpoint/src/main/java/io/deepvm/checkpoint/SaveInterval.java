package io.deepvm.checkpoint;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How often to save. With a stall C per save and a mean time M between revocations, the least time
 * is lost at about sqrt(2 C M) (Young 1974), here with Daly's correction (2006); and never more
 * often than a save can be written.
 */
public final class SaveInterval {

  /** The weight of a new measurement against all before it. */
  private static final double NEWEST = 0.3;

  private final LongSupplier nanoTime;
  private final long begin;
  private double uptimeSeconds;
  private double revocations = 1;
  private double stallSeconds = Double.NaN;
  private double writeSeconds = Double.NaN;

  /** Begins with a belief about the time between revocations that counts as one revocation. */
  public SaveInterval(LongSupplier nanoTime, Duration expectedUptime) {
    this.nanoTime = nanoTime;
    this.begin = nanoTime.getAsLong();
    this.uptimeSeconds = seconds(expectedUptime.toNanos());
  }

  /** Adds so many revocations of the job's nodes, seen in a time before or beside this one. */
  public synchronized void observeRevocations(int count, Duration during) {
    revocations += count;
    uptimeSeconds += seconds(during.toNanos());
  }

  /** Adds the time that a save kept training waiting. */
  public synchronized void observeStall(Duration stall) {
    stallSeconds = average(stallSeconds, seconds(stall.toNanos()));
  }

  /** Adds the time from staging to the first commit. */
  public synchronized void observeWrite(Duration write) {
    writeSeconds = average(writeSeconds, seconds(write.toNanos()));
  }

  private static double average(double known, double measured) {
    return Double.isNaN(known) ? measured : known + NEWEST * (measured - known);
  }

  /** Returns the mean time between revocations as it looks now. */
  public synchronized Duration meanUptime() {
    return Duration.ofNanos((long) (meanUptimeSeconds() * 1e9));
  }

  private double meanUptimeSeconds() {
    return (uptimeSeconds + seconds(nanoTime.getAsLong() - begin)) / revocations;
  }

  /** Returns the time to leave between saves; zero before anything was measured. */
  public synchronized Duration best() {
    if (Double.isNaN(stallSeconds)) {
      return Duration.ZERO;
    }
    double best = daly(stallSeconds, meanUptimeSeconds());
    if (!Double.isNaN(writeSeconds)) {
      best = Math.max(best, writeSeconds);
    }
    return Duration.ofNanos((long) (best * 1e9));
  }

  /** Returns Daly's interval for a cost per save and a mean time between failures, in seconds. */
  static double daly(double cost, double uptime) {
    if (cost >= 2 * uptime) {
      return uptime;
    }
    double ratio = cost / (2 * uptime);
    return Math.sqrt(2 * cost * uptime) * (1 + Math.sqrt(ratio) / 3 + ratio / 9) - cost;
  }

  private static double seconds(long nanos) {
    return nanos / 1e9;
  }
}

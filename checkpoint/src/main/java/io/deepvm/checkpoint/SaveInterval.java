package io.deepvm.checkpoint;

import java.time.Duration;
import java.util.function.LongSupplier;

/** How often the engine saves: by Daly's rule, from the stalls, writes and revocations it sees. */
public final class SaveInterval {

  /** The weight of a new measurement against all before it. */
  private static final double NEWEST = 0.3;

  private final LongSupplier nanoTime;
  private final long begin;
  private final SaveRule.Belief belief;
  private final SaveRule rule;
  private double uptimeSeconds;
  private double revocations;
  private double stallSeconds = Double.NaN;
  private double writeSeconds = Double.NaN;

  /** Begins with a belief about the time between revocations that counts as one revocation. */
  public SaveInterval(LongSupplier nanoTime, Duration expectedUptime) {
    this.nanoTime = nanoTime;
    this.begin = nanoTime.getAsLong();
    this.belief = new SaveRule.Belief(1, seconds(expectedUptime.toNanos()));
    this.rule = new SaveRule.Daly(belief);
  }

  /** Adds this many revocations of the job's nodes, seen in a time before or beside this one. */
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
    return Duration.ofNanos((long) (belief.meanUptimeSeconds(revocations, uptime()) * 1e9));
  }

  private double uptime() {
    return uptimeSeconds + seconds(nanoTime.getAsLong() - begin);
  }

  /** Returns the time to leave between saves; zero before anything was measured. */
  public synchronized Duration best() {
    if (Double.isNaN(stallSeconds)) {
      return Duration.ZERO;
    }
    SaveRule.Cost cost =
        new SaveRule.Cost(stallSeconds, Double.isNaN(writeSeconds) ? 0 : writeSeconds);
    return Duration.ofNanos((long) (rule.seconds(cost, revocations, uptime()) * 1e9));
  }

  private static double seconds(long nanos) {
    return nanos / 1e9;
  }
}

package io.deepvm.simulator.forecast;

import java.util.Map;

/**
 * What a plan will take and cost, with interruptions and everything else that paper leaves out.
 *
 * <p>As in simulations, time and cost are of the runs that are done by the horizon.
 *
 * @param doneShare the share of the runs that are done by the horizon
 * @param horizonSeconds after which a run is given up
 * @param inTime the share of all runs that meet the deadline; equal to the share done without one
 * @param parts mean seconds of a run by what they go to; they add up to the mean time
 */
public record RunForecast(
    Spread seconds,
    Spread usd,
    double doneShare,
    double horizonSeconds,
    double inTime,
    Map<Part, Double> parts) {

  /**
   * A mean and the range that 80 % of the runs are in.
   *
   * @param low a tenth of the runs has less
   * @param high a tenth of the runs has more
   */
  public record Spread(double mean, double low, double high) {}

  /** The least and the most that something may be. */
  public record Range(double low, double high) {

    /** Returns the range with this value in it. */
    public Range with(double value) {
      return new Range(Math.min(low, value), Math.max(high, value));
    }
  }

  /** What time goes to. */
  public enum Part {
    /** Training of all workers, as on paper. */
    TRAINING,
    /** The first boot and the first rendezvous. */
    START,
    /** Training stands still while a checkpoint is copied. */
    STALLS,
    /** Work that is lost and done again. */
    LOST_WORK,
    /** Workers that are missing, boot again, restore or form a new generation. */
    MISSING_WORKERS
  }

  /** Returns the same run at prices this many times as high. */
  public RunForecast dearer(double times) {
    return new RunForecast(
        seconds,
        new Spread(usd.mean() * times, usd.low() * times, usd.high() * times),
        doneShare,
        horizonSeconds,
        inTime,
        parts);
  }

  public RunForecast {
    parts = Map.copyOf(parts);
  }
}

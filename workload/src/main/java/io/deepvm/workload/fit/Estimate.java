package io.deepvm.workload.fit;

/**
 * A prediction of a fitted curve.
 *
 * @param low lower end of the 95 % prediction interval for one new measurement
 * @param high its upper end
 * @param beyond 1 within the measured range, else how many times beyond it the worst input is
 */
public record Estimate(double value, double low, double high, double beyond) {

  /** Whether a measurement lies in the interval. */
  public boolean covers(double measured) {
    return low <= measured && measured <= high;
  }

  /** Whether it was read off outside the measured range. */
  public boolean extrapolated() {
    return beyond > 1;
  }
}

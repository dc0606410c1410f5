package io.deepvm.workload.fit;

/** Between which values of an input was measured. */
public record Range(String input, double low, double high) {

  /**
   * How far a value lies outside: 1 within the range, else by how many times it is beyond the end.
   */
  public double beyond(double value) {
    if (value > high) {
      return high > 0 ? value / high : Double.POSITIVE_INFINITY;
    }
    if (value < low) {
      return value > 0 ? low / value : Double.POSITIVE_INFINITY;
    }
    return 1;
  }
}

package io.deepvm.planner.parameterserver;

/** The upper envelope of straight lines with given slopes in rising order, walked rightwards. */
final class Envelope {

  private final double[] slopes;

  /** By line, the value at zero. */
  private final double[] heights;

  private double ofSums;
  private double rateOfSums;
  private int line;
  private int nextLine;
  private double until;

  Envelope(double[] slopes) {
    this.slopes = slopes;
    heights = new double[slopes.length];
  }

  /** Takes the lines of a node: they hold for the rest of a cluster, which is added to the sums. */
  void set(double[][][] lines, int first, int left, double value, double rate) {
    for (int k = 0; k < heights.length; k++) {
      heights[k] = value + lines[k][first][left] - slopes[k] * rate;
    }
    ofSums = value;
    rateOfSums = rate;
  }

  /** Raises each line to another of the same slope that also holds. */
  void raise(double[][][] lines, int first, int left, double shift) {
    for (int k = 0; k < heights.length; k++) {
      heights[k] =
          Math.max(heights[k], ofSums + lines[k][first][left] + shift - slopes[k] * rateOfSums);
    }
  }

  /** Starts at a position. */
  void start(double at) {
    line = 0;
    double best = Double.NEGATIVE_INFINITY;
    for (int k = 0; k < slopes.length; k++) {
      double value = heights[k] + slopes[k] * at;
      if (value >= best) {
        best = value;
        line = k;
      }
    }
    look();
  }

  private void look() {
    until = Double.POSITIVE_INFINITY;
    for (int k = line + 1; k < slopes.length; k++) {
      double cross = (heights[line] - heights[k]) / (slopes[k] - slopes[line]);
      if (cross < until) {
        until = cross;
        nextLine = k;
      }
    }
  }

  /** Where the next line takes over. */
  double until() {
    return until;
  }

  /** Goes on to the next line if the position has been reached. */
  void pass(double at) {
    if (until <= at) {
      line = nextLine;
      look();
    }
  }

  double height() {
    return heights[line];
  }

  double slope() {
    return slopes[line];
  }
}

package io.deepvm.workload.speed;

/** A symmetric positive definite matrix, factored as L L' in place of its lower half. */
final class PositiveMatrix {

  private final double[][] lower;

  /** Factors a symmetric matrix, given its lower half. */
  PositiveMatrix(double[][] matrix) {
    lower = matrix;
    for (int i = 0; i < lower.length; i++) {
      for (int j = 0; j <= i; j++) {
        double sum = lower[i][j];
        for (int k = 0; k < j; k++) {
          sum -= lower[i][k] * lower[j][k];
        }
        lower[i][j] = i == j ? Math.sqrt(Math.max(sum, Double.MIN_NORMAL)) : sum / lower[j][j];
      }
    }
  }

  /** Returns x with A x = b. */
  double[] solve(double[] b) {
    int n = lower.length;
    double[] x = b.clone();
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < i; k++) {
        x[i] -= lower[i][k] * x[k];
      }
      x[i] /= lower[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
      for (int k = i + 1; k < n; k++) {
        x[i] -= lower[k][i] * x[k];
      }
      x[i] /= lower[i][i];
    }
    return x;
  }
}

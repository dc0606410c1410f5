package io.deepvm.bench.prediction;

/**
 * What a cluster did. Of members that average, the parts are those of whoever was last to compute
 * in a step; of asynchronous workers they are the mean over all iterations.
 *
 * @param communicationSeconds of a step besides computing
 * @param cpuShare of all cores of this machine that was used
 * @param stolenShare of them that other machines on the same hardware took meanwhile
 */
public record Measured(
    double samplesPerSecond,
    double computeSeconds,
    double communicationSeconds,
    double cpuShare,
    double stolenShare) {

  Measured with(double cpu, double stolen) {
    return new Measured(samplesPerSecond, computeSeconds, communicationSeconds, cpu, stolen);
  }

  /** Seconds of computing for each of communication. */
  public double granularity() {
    return computeSeconds / communicationSeconds;
  }
}

package io.deepvm.workload.parameterserver;

import java.util.List;

/**
 * How fast a cluster trains, and where the time goes.
 *
 * @param fairShare the servers' bandwidth per worker, in bytes per second
 * @param bottleneckProbability equation 9; it matters only to workers that ask for more than their
 *     share
 * @param iterationSeconds expected seconds per normalised iteration: equation 2
 * @param batch weighted average samples per normalised iteration: equation 4
 * @param convergence the convergence coefficient, the fastest worker being the reference: equation
 *     5
 */
public record ClusterSpeed(
    int workers,
    double fairShare,
    double bottleneckProbability,
    List<GroupSpeed> groups,
    double iterationSeconds,
    double samplesPerSecond,
    double batch,
    double convergence) {

  public ClusterSpeed {
    groups = List.copyOf(groups);
  }

  /**
   * One iteration of the workers of one type.
   *
   * @param bandwidth what each gets towards the servers, in bytes per second
   * @param networkSeconds pushing and pulling over the network
   * @param contentionSeconds the part of these that the workers wait for each other
   * @param pcieSeconds gathering the gradients of the worker's GPUs
   */
  public record GroupSpeed(
      WorkerType type,
      int count,
      double bandwidth,
      double networkSeconds,
      double contentionSeconds,
      double pcieSeconds) {

    /** All transfers: equation 7. */
    public double communicationSeconds() {
      return networkSeconds + pcieSeconds;
    }

    /** Transfers and computing: equation 6. */
    public double iterationSeconds() {
      return communicationSeconds() + type.computeSeconds();
    }

    /** What one such worker trains. */
    public double samplesPerSecond() {
      return type.batch() / iterationSeconds();
    }
  }

  /** What takes the largest share of the workers' time. */
  public Bottleneck bottleneck() {
    Bottleneck worst = Bottleneck.COMPUTE;
    for (Bottleneck each : Bottleneck.values()) {
      if (secondsIn(each) > secondsIn(worst)) {
        worst = each;
      }
    }
    return worst;
  }

  /** The share of the workers' time, between 0 and 1, that goes there. */
  public double share(Bottleneck where) {
    return secondsIn(where) / workers;
  }

  private double secondsIn(Bottleneck where) {
    double seconds = 0;
    for (GroupSpeed group : groups) {
      double each =
          switch (where) {
            case COMPUTE -> group.type().computeSeconds();
            case SERVERS -> group.contentionSeconds();
            case NETWORK -> group.networkSeconds() - group.contentionSeconds();
            case PCIE -> group.pcieSeconds();
          };
      seconds += group.count() * each / group.iterationSeconds();
    }
    return seconds;
  }

  /** Where a worker's time may go. */
  public enum Bottleneck {
    /** The GPUs themselves. */
    COMPUTE("GPU compute"),
    /** Waiting for other workers at the servers. */
    SERVERS("contention at the parameter servers"),
    /** The worker's own way to the servers. */
    NETWORK("the workers' network"),
    /** Moving gradients between GPUs and memory. */
    PCIE("PCIe inside the workers");

    private final String label;

    Bottleneck(String label) {
      this.label = label;
    }

    @Override
    public String toString() {
      return label;
    }
  }
}

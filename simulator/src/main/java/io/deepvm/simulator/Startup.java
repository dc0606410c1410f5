package io.deepvm.simulator;

/**
 * How long it takes to get going.
 *
 * @param spotBootSeconds from a granted spot request to a node that can join
 * @param onDemandBootSeconds likewise for a node that stays
 * @param reformSeconds for which nobody trains when members join or leave
 * @param freshSeconds that are lost besides when none of the members has trained before, until
 *     their processes are up to speed
 */
public record Startup(
    double spotBootSeconds, double onDemandBootSeconds, double reformSeconds, double freshSeconds) {

  /** Start-up as measured on AWS by the spotDNN authors, and a rendezvous of a few seconds. */
  public static final Startup USUAL = new Startup(90, 60, 5);

  /** Returns the start-up of nodes that also load files before they can join. */
  Startup loading(double seconds) {
    return new Startup(
        spotBootSeconds + seconds, onDemandBootSeconds + seconds, reformSeconds, freshSeconds);
  }

  /** Start-up of processes that are up to speed at once. */
  public Startup(double spotBootSeconds, double onDemandBootSeconds, double reformSeconds) {
    this(spotBootSeconds, onDemandBootSeconds, reformSeconds, 0);
  }
}

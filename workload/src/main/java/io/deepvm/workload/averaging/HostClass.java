package io.deepvm.workload.averaging;

/** How fast a host's processor packs, sums and unpacks gradients, by the two kinds measured. */
public enum HostClass {
  /** Few cores, or not measured: n1-standard-8, g4dn.2xlarge, NC4as_T4_v3, the own machines. */
  SMALL,
  /** Many cores: Lambda's A10 machine with 30. */
  LARGE;

  /** Between the 8 and the 30 cores that were measured; what lies between counts as slow. */
  private static final double MANY_CORES = 30;

  /** Returns the class of a host with this many virtual CPUs. */
  public static HostClass of(double vcpus) {
    return vcpus >= MANY_CORES ? LARGE : SMALL;
  }
}

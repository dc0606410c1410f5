package io.deepvm.simulator;

/**
 * How clouds count time and what else they charge for.
 *
 * @param granularitySeconds a node's life is rounded up to a multiple of this
 * @param minimumSeconds the least a node is paid for
 * @param storageUsdPerGbMonth for checkpoints kept in an object store
 * @param usdPerBoot for what each node loads from another region
 * @param diskUsdPerNodeHour for the disk of each node
 */
public record Billing(
    double granularitySeconds,
    double minimumSeconds,
    double storageUsdPerGbMonth,
    double usdPerBoot,
    double diskUsdPerNodeHour) {

  /** By the second, at least a minute, as AWS and GCP do; storage at S3's standard rate. */
  public static final Billing BY_THE_SECOND = new Billing(1, 60, 0.023);

  /** Billing of nodes that load nothing and have no disk to pay for. */
  public Billing(double granularitySeconds, double minimumSeconds, double storageUsdPerGbMonth) {
    this(granularitySeconds, minimumSeconds, storageUsdPerGbMonth, 0, 0);
  }

  /** Returns the billing of nodes that load files. */
  Billing loading(NodeLoad load) {
    return new Billing(
        granularitySeconds,
        minimumSeconds,
        storageUsdPerGbMonth,
        load.usd(),
        load.diskUsdPerHour());
  }

  /** To the millisecond and nothing else, for checks against arithmetic. */
  public static final Billing EXACT = new Billing(0.001, 0, 0);
}

package io.deepvm.simulator;

/**
 * How clouds count time and what else they charge for.
 *
 * @param granularitySeconds a node's life is rounded up to a multiple of this
 * @param minimumSeconds the least a node is paid for
 * @param storageUsdPerGbMonth for checkpoints kept in an object store
 */
public record Billing(
    double granularitySeconds, double minimumSeconds, double storageUsdPerGbMonth) {

  /** By the second, at least a minute, as AWS and GCP do; storage at S3's standard rate. */
  public static final Billing BY_THE_SECOND = new Billing(1, 60, 0.023);

  /** To the millisecond and nothing else, for checks against arithmetic. */
  public static final Billing EXACT = new Billing(0.001, 0, 0);
}

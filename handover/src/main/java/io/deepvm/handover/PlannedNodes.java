package io.deepvm.handover;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * Like nodes of a plan.
 *
 * @param role worker, anchor or server
 * @param gpus of each node; 0 for none
 */
public record PlannedNodes(
    String role,
    Site site,
    String instanceType,
    boolean spot,
    int count,
    BigDecimal usd,
    int gpus) {

  /** Where nodes are. */
  public record Site(String cloud, String region, @Nullable String zone) {

    @Override
    public String toString() {
      return cloud + "/" + region + (zone == null ? "" : "/" + zone);
    }
  }

  /** Whether the nodes compute. */
  boolean isWorker() {
    return role.equals("worker");
  }

  /** Returns them in words. */
  String words() {
    return "%d x %s %s in %s".formatted(count, instanceType, spot ? "spot" : "on-demand", site);
  }
}

package io.deepvm.checkpoint.tier;

import io.deepvm.checkpoint.format.Version;
import java.util.Set;

/**
 * What a tier keeps of one version.
 *
 * @param shards the sealed shards it holds
 * @param missing the shards of the manifest that it does not hold
 */
public record Holding(
    Version version, Condition condition, Set<String> shards, Set<String> missing, long bytes) {

  /** Whether a version exists. */
  public enum Condition {
    /** It has a manifest. */
    COMMITTED,
    /** It has none: it is being written, or what a crash left over. */
    UNCOMMITTED,
    /** Its manifest cannot be read or does not fit its shards. */
    DAMAGED
  }

  public Holding {
    shards = Set.copyOf(shards);
    missing = Set.copyOf(missing);
  }

  /** Returns whether the version can be restored from this tier alone. */
  public boolean complete() {
    return condition == Condition.COMMITTED && missing.isEmpty();
  }
}

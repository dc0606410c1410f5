package io.deepvm.checkpoint.tier;

import io.deepvm.checkpoint.format.Version;
import java.util.HashSet;
import java.util.List;
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

  /** Returns what several tiers keep together of a version that they share. */
  static Holding together(Version version, List<Holding> holdings) {
    Set<String> shards = new HashSet<>();
    Set<String> expected = new HashSet<>();
    Holding.Condition condition = Condition.UNCOMMITTED;
    long bytes = 0;
    for (Holding holding : holdings) {
      bytes += holding.bytes();
      if (holding.condition() == Condition.COMMITTED) {
        condition = Condition.COMMITTED;
        shards.addAll(holding.shards());
        expected.addAll(holding.shards());
        expected.addAll(holding.missing());
      } else if (holding.condition() == Condition.DAMAGED && condition == Condition.UNCOMMITTED) {
        condition = Condition.DAMAGED;
      }
    }
    if (condition == Condition.UNCOMMITTED) {
      holdings.forEach(holding -> shards.addAll(holding.shards()));
    }
    expected.removeAll(shards);
    return new Holding(version, condition, shards, expected, bytes);
  }
}

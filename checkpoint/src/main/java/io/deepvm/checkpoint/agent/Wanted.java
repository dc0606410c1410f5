package io.deepvm.checkpoint.agent;

import io.deepvm.checkpoint.format.Version;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a client wants to restore.
 *
 * @param version this version; null for the newest that is whole
 * @param before only versions older than this one; null for any
 * @param names the tensors wanted; null for all
 * @param prefix the tensors wanted are those whose name begins so; null for all
 */
record Wanted(
    @Nullable Version version,
    @Nullable Version before,
    @Nullable Set<String> names,
    @Nullable String prefix) {

  /** All of the newest version. */
  static final Wanted NEWEST = new Wanted(null, null, null, null);

  boolean takes(String tensor) {
    return (names == null || names.contains(tensor))
        && (prefix == null || tensor.startsWith(prefix));
  }

  boolean takes(Version candidate) {
    return (version == null || version.equals(candidate))
        && (before == null || candidate.compareTo(before) < 0);
  }
}

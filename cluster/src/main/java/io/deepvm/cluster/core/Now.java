package io.deepvm.cluster.core;

import java.util.List;

/**
 * The moment of an input.
 *
 * @param atMs milliseconds since 1970
 * @param marketMs milliseconds of the market's time since the run started
 * @param capacity how many spot nodes each pool has; -1 if the cloud does not say
 */
public record Now(long atMs, long marketMs, List<Integer> capacity) {
  public Now {
    capacity = List.copyOf(capacity);
  }
}

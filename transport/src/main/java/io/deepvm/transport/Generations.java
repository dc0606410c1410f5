package io.deepvm.transport;

import io.deepvm.units.BadInput;
import java.util.HashMap;
import java.util.Map;

/**
 * The newest generation seen of each group, so that what is left of an older one is refused. It is
 * kept in memory: who restarts raises it again from what is durable.
 */
public final class Generations {

  /** A group is never forgotten, so there is an end to how many fit. */
  private static final int MOST_GROUPS = 10_000;

  private final Map<Name, Long> newest = new HashMap<>();

  /** Notes a generation and returns the newest one of the group, which may be a newer one. */
  public synchronized long raise(Name group, long generation) {
    if (newest.size() >= MOST_GROUPS && !newest.containsKey(group)) {
      throw new BadInput(
          "More than " + MOST_GROUPS + " groups were seen here; " + group + " is one too many.",
          "Maybe use one group for a job, not one for a transfer.");
    }
    return newest.merge(group, generation, Math::max);
  }

  /** Returns the newest generation seen of a group, -1 if none was. */
  public synchronized long newest(Name group) {
    return newest.getOrDefault(group, -1L);
  }
}

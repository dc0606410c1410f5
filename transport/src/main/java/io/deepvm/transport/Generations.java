package io.deepvm.transport;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * The newest generation seen of each group, so that what is left of an older one is refused. It is
 * kept in memory, for a bounded number of groups; the others are asked of what is durable.
 */
public final class Generations {

  private static final int MOST_GROUPS = 10_000;

  private final ToLongFunction<Name> durable;

  /** Those longest unused first. */
  private final Map<Name, Long> newest =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Name, Long> eldest) {
          return size() > MOST_GROUPS;
        }
      };

  /** Knows nothing but what it sees. */
  public Generations() {
    this(group -> -1);
  }

  /**
   * Asks elsewhere about groups that are not known here.
   *
   * @param durable returns the newest generation of a group, -1 if there is none
   */
  public Generations(ToLongFunction<Name> durable) {
    this.durable = durable;
  }

  /** Notes a generation and returns the newest one of the group, which may be a newer one. */
  public synchronized long raise(Name group, long generation) {
    long known = Math.max(newest(group), generation);
    newest.put(group, known);
    return known;
  }

  /** Returns the newest generation seen of a group, -1 if none was. */
  public synchronized long newest(Name group) {
    Long known = newest.get(group);
    return known == null ? durable.applyAsLong(group) : known;
  }
}

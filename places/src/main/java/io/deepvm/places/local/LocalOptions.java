package io.deepvm.places.local;

import io.deepvm.base.Bandwidth;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the nodes of this machine are like.
 *
 * @param limit the most nodes at once
 * @param spotBootSeconds until a spot node is ready, if its processes are by then
 * @param onDemandBootSeconds until an on-demand node is ready, if its processes are by then
 * @param speeds the speed of each node type relative to others; 1 for types that are not listed
 * @param bandwidth of each node's own link, which needs root; null for no links of their own
 */
public record LocalOptions(
    int limit,
    double spotBootSeconds,
    double onDemandBootSeconds,
    Map<String, Double> speeds,
    @Nullable Bandwidth bandwidth) {

  public LocalOptions {
    speeds = Map.copyOf(speeds);
  }

  /** Returns the options of nodes that are ready as soon as their processes are. */
  public static LocalOptions atOnce(int limit) {
    return new LocalOptions(limit, 0, 0, Map.of(), null);
  }
}

package io.deepvm.planner;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The clusters than which none is both cheaper per hour and faster. */
final class ParetoFront {

  private record Point(Cluster cluster, double speed) {}

  private final TreeMap<Long, Point> byPrice = new TreeMap<>();

  /** Whether a cluster of this price and speed would be on the front so far. */
  boolean accepts(long price, double speed) {
    Map.Entry<Long, Point> cheaper = byPrice.floorEntry(price);
    return cheaper == null || cheaper.getValue().speed() < speed;
  }

  /** Adds an accepted cluster and drops those it beats. */
  void add(Cluster cluster, double speed) {
    byPrice.put(cluster.price(), new Point(cluster, speed));
    Map.Entry<Long, Point> dearer = byPrice.higherEntry(cluster.price());
    while (dearer != null && dearer.getValue().speed() <= speed) {
      byPrice.remove(dearer.getKey());
      dearer = byPrice.higherEntry(cluster.price());
    }
  }

  /** The fastest and dearest on the front, or null when it is empty. */
  @Nullable Cluster fastest() {
    Map.Entry<Long, Point> last = byPrice.lastEntry();
    return last == null ? null : last.getValue().cluster();
  }

  /** The front, cheapest first. */
  List<Cluster> clusters() {
    return byPrice.values().stream().map(Point::cluster).toList();
  }
}

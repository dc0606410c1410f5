package io.deepvm.planner;

import io.deepvm.catalog.Place;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A place with the workers and anchors that can be rented near each other there. */
final class Site {

  private final Place place;
  private final List<Worker> workers = new ArrayList<>();
  private final List<Anchor> offered = new ArrayList<>();
  private List<Anchor> anchors = List.of();
  private final Map<Long, AnchorPicks> picksByNetwork = new HashMap<>();

  Site(Place place) {
    this.place = place;
  }

  Place place() {
    return place;
  }

  List<Worker> workers() {
    return workers;
  }

  /** The anchors worth considering, cheapest first. */
  List<Anchor> anchors() {
    return anchors;
  }

  void add(Anchor anchor) {
    offered.add(anchor);
  }

  /**
   * Ends the offers: workers are in the order of their names, whatever the catalog's order is, and
   * anchors that another one beats or equals in everything are dropped.
   */
  void complete() {
    workers.sort(Comparator.comparing(Worker::name));
    offered.sort(Anchor.CHEAPEST_FIRST);
    List<Anchor> kept = new ArrayList<>();
    for (Anchor candidate : offered) {
      if (!anyCovers(kept, candidate)) {
        kept.add(candidate);
      }
    }
    anchors = kept;
  }

  private static boolean anyCovers(List<Anchor> cheaper, Anchor candidate) {
    for (Anchor anchor : cheaper) {
      if (anchor.covers(candidate)) {
        return true;
      }
    }
    return false;
  }

  /** The cheapest anchors for every number of workers with this network. */
  AnchorPicks picks(long workerBitsPerSecond, CheckpointNeeds needs) {
    return picksByNetwork.computeIfAbsent(
        workerBitsPerSecond, network -> new AnchorPicks(anchors, network, needs));
  }
}

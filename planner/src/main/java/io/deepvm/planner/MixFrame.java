package io.deepvm.planner;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of mixed workers with its anchors settled and its workers still to be chosen.
 *
 * @param choices the types the workers may be of
 * @param workers how many nodes train in all
 * @param fixedWorker a settled node that trains too, or null
 * @param fixedPrice what the settled nodes cost, in micro-dollars per hour
 */
record MixFrame(
    List<Worker> choices,
    int workers,
    @Nullable Worker fixedWorker,
    long fixedPrice,
    List<NodeGroup> fixedNodes) {

  /** Returns the frame without the types whose curve says that they stand still at this size. */
  MixFrame ofMovingWorkers() {
    List<Worker> moving = choices.stream().filter(this::moves).toList();
    return new MixFrame(moving, workers, fixedWorker, fixedPrice, fixedNodes);
  }

  /** Whether there is anything to choose from, and the settled worker does not stand still. */
  boolean isPossible() {
    return !choices.isEmpty() && (fixedWorker == null || moves(fixedWorker));
  }

  private boolean moves(Worker worker) {
    return worker.speed(workers) > 0;
  }

  /** How many workers are to be chosen. */
  int open() {
    return fixedWorker == null ? workers : workers - 1;
  }

  /** Returns the node groups once the workers are chosen. */
  List<NodeGroup> nodes(int[] counts) {
    List<NodeGroup> nodes = new ArrayList<>();
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0) {
        nodes.add(new NodeGroup(Role.WORKER, choices.get(i).offer(), counts[i]));
      }
    }
    nodes.addAll(fixedNodes);
    return nodes;
  }
}

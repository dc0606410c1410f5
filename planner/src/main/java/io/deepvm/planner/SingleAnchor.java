package io.deepvm.planner;

import io.deepvm.catalog.Market;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntToLongFunction;

/**
 * All nodes train; one of them is on-demand and writes the checkpoints to its own disk, so that
 * losing every spot node loses no more than the work since the last one. On-demand workers need no
 * other machine: the first of them keeps the checkpoints.
 */
final class SingleAnchor implements Architecture {

  static final String NAME = "single-anchor";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public int fewestWorkers(Worker worker) {
    return worker.isSpot() ? 2 : 1;
  }

  @Override
  public boolean accepts(Worker worker) {
    return worker.onDemand() != null && worker.onDemand().limit() >= 1;
  }

  @Override
  public int mostWorkers(Worker worker) {
    return worker.isSpot() ? worker.limit() + 1 : worker.limit();
  }

  @Override
  public IntToLongFunction prices(Worker worker, CheckpointNeeds needs) {
    long price = worker.price();
    long anchor = anchorPrice(worker);
    return workers -> price * (workers - 1) + anchor;
  }

  @Override
  public List<NodeGroup> nodes(Worker worker, int workers, CheckpointNeeds needs) {
    if (!worker.isSpot()) {
      return List.of(new NodeGroup(Role.WORKER, worker.offer(), workers));
    }
    return List.of(
        new NodeGroup(Role.WORKER, worker.offer(), workers - 1),
        new NodeGroup(Role.ANCHOR, worker.offer(Market.ON_DEMAND), 1));
  }

  @Override
  public List<MixFrame> frames(Site site, int workers, CheckpointNeeds needs) {
    List<MixFrame> frames = new ArrayList<>();
    if (workers < 2) {
      return frames;
    }
    for (Worker anchor : site.workers()) {
      if (accepts(anchor)) {
        frames.add(
            new MixFrame(
                site.workers(),
                workers,
                anchor,
                anchorPrice(anchor),
                List.of(new NodeGroup(Role.ANCHOR, anchor.offer(Market.ON_DEMAND), 1))));
      }
    }
    return frames;
  }

  @Override
  public String describe(Worker worker, int workers, CheckpointNeeds needs) {
    return worker.isSpot()
        ? "Anchor: one of the %d training nodes is on-demand and keeps the checkpoints."
            .formatted(workers)
        : "Anchor: none beside the workers; the first keeps the checkpoints on its disk, against crashes.";
  }

  private static long anchorPrice(Worker worker) {
    return Objects.requireNonNull(worker.onDemand()).price();
  }
}

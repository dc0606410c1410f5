package io.deepvm.planner;

import io.deepvm.catalog.Market;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;

/**
 * All nodes train; one of them is on-demand and writes the checkpoints to its own disk, so that
 * losing every spot node loses no more than the work since the last one.
 */
final class SingleAnchor implements Architecture {

  @Override
  public String name() {
    return "single-anchor";
  }

  @Override
  public int fewestWorkers() {
    return 2;
  }

  @Override
  public boolean accepts(Worker worker) {
    return worker.onDemand() != Worker.NOT_OFFERED && worker.onDemandLimit() >= 1;
  }

  @Override
  public int mostWorkers(Worker worker) {
    return worker.spotLimit() + 1;
  }

  @Override
  public IntToLongFunction prices(Worker worker, CheckpointNeeds needs) {
    long spot = worker.spot();
    long onDemand = worker.onDemand();
    return workers -> spot * (workers - 1) + onDemand;
  }

  @Override
  public List<NodeGroup> nodes(Worker worker, int workers, CheckpointNeeds needs) {
    return List.of(
        new NodeGroup(Role.WORKER, worker.offer(Market.SPOT), workers - 1),
        new NodeGroup(Role.ANCHOR, worker.offer(Market.ON_DEMAND), 1));
  }

  @Override
  public List<MixFrame> frames(Site site, int workers, CheckpointNeeds needs) {
    List<MixFrame> frames = new ArrayList<>();
    if (workers < fewestWorkers()) {
      return frames;
    }
    for (Worker anchor : site.workers()) {
      if (accepts(anchor)) {
        frames.add(
            new MixFrame(
                site.workers(),
                workers,
                anchor,
                anchor.onDemand(),
                List.of(new NodeGroup(Role.ANCHOR, anchor.offer(Market.ON_DEMAND), 1))));
      }
    }
    return frames;
  }

  @Override
  public String describe(Worker worker, int workers, CheckpointNeeds needs) {
    return "Anchor: one of the %d training nodes is on-demand and keeps the checkpoints."
        .formatted(workers);
  }
}

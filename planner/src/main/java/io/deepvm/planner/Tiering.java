package io.deepvm.planner;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.base.Numbers;
import io.deepvm.workload.NetworkSaturation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntToLongFunction;

/**
 * All workers are spot; on-demand CPU nodes beside them take the checkpoint's shards into memory
 * while training goes on. On-demand workers are not taken back and need no such nodes.
 */
final class Tiering implements Architecture {

  static final String NAME = "tiering";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public int fewestWorkers(Worker worker) {
    return 1;
  }

  @Override
  public boolean accepts(Worker worker) {
    return worker.isSpot() && worker.network() != null && !worker.site().anchors().isEmpty();
  }

  @Override
  public int mostWorkers(Worker worker) {
    return worker.limit();
  }

  @Override
  public IntToLongFunction prices(Worker worker, CheckpointNeeds needs) {
    long price = worker.price();
    AnchorPicks picks = picks(worker, needs);
    return workers -> {
      long anchors = picks.price(workers);
      return anchors == IMPOSSIBLE ? IMPOSSIBLE : price * workers + anchors;
    };
  }

  @Override
  public List<NodeGroup> nodes(Worker worker, int workers, CheckpointNeeds needs) {
    AnchorPicks.Pick pick = picks(worker, needs).pick(workers);
    return List.of(new NodeGroup(Role.WORKER, worker.offer(), workers), anchorGroup(pick));
  }

  /** One frame per network speed that the slowest worker may have: it decides the anchors. */
  @Override
  public List<MixFrame> frames(Site site, int workers, CheckpointNeeds needs) {
    List<MixFrame> frames = new ArrayList<>();
    List<Worker> accepted = site.workers().stream().filter(this::accepts).toList();
    long[] slowest = accepted.stream().mapToLong(Tiering::network).distinct().toArray();
    for (long network : slowest) {
      AnchorPicks picks = site.picks(network, needs);
      if (picks.price(workers) != IMPOSSIBLE) {
        frames.add(
            new MixFrame(
                accepted.stream().filter(worker -> network(worker) >= network).toList(),
                workers,
                null,
                picks.price(workers),
                List.of(anchorGroup(picks.pick(workers)))));
      }
    }
    return frames;
  }

  @Override
  public String describe(Worker worker, int workers, CheckpointNeeds needs) {
    AnchorPicks.Pick pick = picks(worker, needs).pick(workers);
    Anchor anchor = pick.anchor();
    Bandwidth link = new Bandwidth(Math.min(network(worker), anchor.bitsPerSecond()));
    double saturation = NetworkSaturation.workersPerAnchor(link);
    String served = Numbers.print(workers / (double) pick.count());
    return "Anchors: %d x %s with %s of memory; each serves %s %s, and %s would saturate its %s link."
        .formatted(
            pick.count(),
            anchor.offer().machine().name(),
            new DataSize(anchor.memoryBytes()),
            served,
            served.equals("1") ? "worker" : "workers",
            Numbers.print(saturation),
            link);
  }

  private static AnchorPicks picks(Worker worker, CheckpointNeeds needs) {
    return worker.site().picks(network(worker), needs);
  }

  private static NodeGroup anchorGroup(AnchorPicks.Pick pick) {
    return new NodeGroup(Role.ANCHOR, pick.anchor().offer(), pick.count());
  }

  private static long network(Worker worker) {
    return Objects.requireNonNull(worker.network()).bitsPerSecond();
  }
}

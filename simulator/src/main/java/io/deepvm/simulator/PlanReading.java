package io.deepvm.simulator;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Offer;
import io.deepvm.checkpoint.SaveRule;
import io.deepvm.market.Pool;
import io.deepvm.planner.Goal;
import io.deepvm.planner.NodeGroup;
import io.deepvm.planner.PartialClusters;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Role;
import io.deepvm.workload.Job;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes from a plan what is needed to live it. */
public final class PlanReading {

  /** A network that nothing is known of: the baseline of small GPU machines. */
  private static final Bandwidth UNKNOWN_NETWORK = Bandwidth.ofGbps(5);

  /** What one stream of copies out of the way of training does, host memory to host memory. */
  private static final double STAGING_BYTES_PER_SECOND = 5e9;

  /** What a general-purpose network disk writes: the baseline of AWS gp3 volumes. */
  private static final double DISK_BYTES_PER_SECOND = 125e6;

  /** What one node gets from an object store in its region, as SkyNomad's authors measured. */
  private static final Bandwidth OBJECT_STORE = Bandwidth.ofGbps(9.72);

  private PlanReading() {}

  /** Returns the run that a plan made for a job and a goal stands for. */
  public static PlannedRun of(Plan plan, Job job, Goal goal, Catalog catalog) {
    List<PlannedRun.Group> workers = new ArrayList<>();
    int anchors = 0;
    Money anchorsPerHour = Money.ZERO;
    double fastest =
        plan.nodes().stream()
            .filter(PartialClusters::trains)
            .mapToDouble(group -> PartialClusters.alone(job, plan, group))
            .max()
            .orElse(1);
    for (NodeGroup group : plan.nodes()) {
      Offer offer = group.offer();
      if (PartialClusters.trains(group)) {
        Gpus gpus = offer.machine().gpus();
        workers.add(
            new PlannedRun.Group(
                new Pool(offer.place(), offer.machine().name()),
                offer.market(),
                group.count(),
                group.role() == Role.ANCHOR || plan.isItsOwnAnchor(),
                offer.pricePerHour(),
                onDemand(offer, catalog),
                PartialClusters.alone(job, plan, group) / fastest,
                gpus == null ? 0.0 : gpus.count()));
      } else {
        anchors += group.count();
        anchorsPerHour = anchorsPerHour.plus(group.pricePerHour());
      }
    }
    return new PlannedRun(
        plan.architecture(),
        workers,
        new PlannedRun.Helpers(anchors, anchorsPerHour),
        PartialClusters.of(job, plan),
        plan.predicted().seconds(),
        checkpointing(plan, goal),
        NodeLoads.of(plan, job, network(plan), OBJECT_STORE),
        goal.deadline() == null ? null : goal.deadline().toMillis() / 1e3);
  }

  private static @Nullable Money onDemand(Offer offer, Catalog catalog) {
    if (offer.market() == Market.ON_DEMAND) {
      return offer.pricePerHour();
    }
    return catalog.listings().stream()
        .filter(l -> l.place().equals(offer.place()))
        .filter(l -> l.machine().name().equals(offer.machine().name()))
        .findFirst()
        .map(Listing::onDemand)
        .orElse(null);
  }

  private static Checkpointing checkpointing(Plan plan, Goal goal) {
    DataSize size = goal.checkpoint();
    SaveRule interval = SaveRule.every(goal.checkpoints().interval().toMillis() / 1e3);
    double out = bytesPerSecond(plan, Role.WORKER);
    double in = bytesPerSecond(plan, Role.ANCHOR);
    boolean anchorTrains =
        plan.isItsOwnAnchor()
            || plan.nodes().stream()
                .anyMatch(g -> g.role() == Role.ANCHOR && PartialClusters.trains(g));
    if (anchorTrains) {
      // The anchor writes its own memory to its disk, and everybody waits.
      double write = size.bytes() / DISK_BYTES_PER_SECOND;
      return new Checkpointing(size, true, write, 0, write, false, false, interval);
    }
    double stall = size.bytes() / STAGING_BYTES_PER_SECOND;
    boolean anchored = in > 0;
    double way =
        Math.min(out, anchored ? in : plan.count(Role.WORKER) * OBJECT_STORE.bytesPerSecond());
    double back = Math.min(network(plan).bytesPerSecond(), anchored ? in : way);
    return new Checkpointing(
        size, true, stall, size.bytes() / way, size.bytes() / back, true, !anchored, interval);
  }

  /** Returns the sum of the network bandwidths of all nodes of a role. */
  private static double bytesPerSecond(Plan plan, Role role) {
    return plan.nodes().stream()
        .filter(g -> g.role() == role)
        .mapToDouble(g -> g.count() * network(g.offer().machine()).bytesPerSecond())
        .sum();
  }

  private static Bandwidth network(Plan plan) {
    return plan.nodes().stream()
        .filter(g -> g.role() == Role.WORKER)
        .map(g -> network(g.offer().machine()))
        .min(Bandwidth::compareTo)
        .orElse(UNKNOWN_NETWORK);
  }

  private static Bandwidth network(Machine machine) {
    Bandwidth stated = machine.network();
    return stated == null ? UNKNOWN_NETWORK : stated;
  }
}

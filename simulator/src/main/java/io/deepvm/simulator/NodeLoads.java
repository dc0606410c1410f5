package io.deepvm.simulator;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.Wires;
import io.deepvm.planner.NodeGroup;
import io.deepvm.planner.PartialClusters;
import io.deepvm.planner.Plan;
import io.deepvm.workload.Job;
import io.deepvm.workload.NodeFiles;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the files of a job cost the nodes of a plan. */
final class NodeLoads {

  /** An image is pulled and unpacked at this rate: an assumption. */
  private static final double IMAGE_BYTES_PER_SECOND = 100e6;

  /** A general-purpose network disk: the list price of AWS gp3 volumes. */
  private static final double DISK_USD_PER_GB_MONTH = 0.08;

  private static final double HOURS_A_MONTH = 730;
  private static final double GIGA = 1e9;

  private NodeLoads() {}

  /**
   * Returns the load of a training node; of several places, the mean of their traffic.
   *
   * @param network of the slowest node
   * @param store what one node gets from an object store
   */
  static NodeLoad of(Plan plan, Job job, Bandwidth network, Bandwidth store) {
    NodeFiles files = job.files();
    double data = bytes(files.dataSet());
    double image = bytes(files.image());
    double rate = Math.min(network.bytesPerSecond(), store.bytesPerSecond());
    return new NodeLoad(
        data / rate + image / IMAGE_BYTES_PER_SECOND,
        data / GIGA * usdPerGb(plan, files.from()),
        (data + image) / GIGA * DISK_USD_PER_GB_MONTH / HOURS_A_MONTH);
  }

  private static double bytes(@Nullable DataSize size) {
    return size == null ? 0 : size.bytes();
  }

  private static double usdPerGb(Plan plan, @Nullable Place from) {
    if (from == null) {
      return 0;
    }
    List<NodeGroup> training = plan.nodes().stream().filter(PartialClusters::trains).toList();
    double usd = 0;
    for (NodeGroup group : training) {
      usd += group.count() * usdPerGb(from, group.offer().place());
    }
    return usd / PartialClusters.trainingNodes(plan);
  }

  private static double usdPerGb(Place from, Place to) {
    if (from.cloud().equals(to.cloud()) && from.region().equals(to.region())) {
      return 0;
    }
    Money price = Wires.between(from, to).egressPerGb();
    return price == null ? 0 : price.dollars();
  }
}

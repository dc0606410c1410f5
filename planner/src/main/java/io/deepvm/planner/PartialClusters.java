package io.deepvm.planner;

import io.deepvm.planner.ClusterForecast.Finding;
import io.deepvm.workload.Job;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** What a plan's cluster does while some of its training nodes are missing. */
public final class PartialClusters {

  private static final String TRAFFIC = "trafficUsdPerHour";

  private PartialClusters() {}

  /** Returns what 1, 2, ... of the training nodes do. */
  public static MemberRates of(Job job, Plan plan) {
    ArchitectureFamily family = Architectures.family(plan.architecture());
    int all = trainingNodes(plan);
    double[] speeds = new double[all];
    double[] traffic = new double[all];
    List<GivenCluster> parts = IntStream.rangeClosed(1, all).mapToObj(n -> part(plan, n)).toList();
    List<List<Finding>> figures = family.figures(job, parts);
    for (int n = 0; n < all; n++) {
      speeds[n] = speed(figures.get(n));
      traffic[n] = figure(figures.get(n), TRAFFIC, 0);
    }
    double whole = speeds[all - 1];
    for (int n = 0; n < all; n++) {
      speeds[n] /= whole;
    }
    return new MemberRates(speeds, traffic);
  }

  /**
   * Returns the speed of one node of a group that trains alone, in the units of the forecast; its
   * share of the whole where the model needs more than one.
   */
  public static double alone(Job job, Plan plan, NodeGroup group) {
    List<GivenCluster.Group> groups = new ArrayList<>();
    for (NodeGroup other : plan.nodes()) {
      add(groups, other, other.equals(group) ? 1 : trains(other) ? 0 : other.count());
    }
    ArchitectureFamily family = Architectures.family(plan.architecture());
    double alone = speed(figures(family, job, new GivenCluster(plan.architecture(), groups)));
    int all = trainingNodes(plan);
    return alone > 0 ? alone : speed(figures(family, job, part(plan, all))) / all;
  }

  /** How many of the plan's nodes train: the workers, and an anchor that has a GPU. */
  public static int trainingNodes(Plan plan) {
    return plan.nodes().stream().filter(PartialClusters::trains).mapToInt(NodeGroup::count).sum();
  }

  /** Whether the group's nodes train. */
  public static boolean trains(NodeGroup group) {
    return group.role() == Role.WORKER
        || (group.role() == Role.ANCHOR && group.offer().machine().trains());
  }

  // Anchors that train are the last to go: they are not spot nodes. Workers go from all groups
  // alike.
  private static GivenCluster part(Plan plan, int n) {
    List<GivenCluster.Group> groups = new ArrayList<>();
    int left = n;
    int workers = 0;
    for (NodeGroup group : plan.nodes()) {
      if (trains(group) && group.role() == Role.ANCHOR) {
        int kept = Math.min(left, group.count());
        left -= kept;
        add(groups, group, kept);
      } else if (trains(group)) {
        workers += group.count();
      }
    }
    int seen = 0;
    for (NodeGroup group : plan.nodes()) {
      if (group.role() == Role.WORKER) {
        int before = share(left, seen, workers);
        seen += group.count();
        add(groups, group, share(left, seen, workers) - before);
      } else if (!trains(group)) {
        add(groups, group, group.count());
      }
    }
    return new GivenCluster(plan.architecture(), groups);
  }

  /** Returns how many of the nodes that are left are among the first of all workers. */
  private static int share(int left, int first, int workers) {
    return (int) ((2L * left * first + workers) / (2L * workers));
  }

  private static void add(List<GivenCluster.Group> groups, NodeGroup group, int count) {
    if (count > 0) {
      groups.add(new GivenCluster.Group(new NodeGroup(group.role(), group.offer(), count), null));
    }
  }

  // The time decides: with asynchronous workers, more samples are not always more progress.
  private static double speed(List<Finding> figures) {
    double seconds = figure(figures, "seconds", 0);
    double speed =
        seconds > 0
            ? 1 / seconds
            : figure(figures, "samplesPerSecond", figure(figures, "flops", Double.NaN));
    if (Double.isNaN(speed)) {
      throw new IllegalStateException("a forecast without a speed");
    }
    return speed;
  }

  private static List<Finding> figures(ArchitectureFamily family, Job job, GivenCluster cluster) {
    return family.figures(job, List.of(cluster)).get(0);
  }

  private static double figure(List<Finding> figures, String key, double otherwise) {
    for (Finding finding : figures) {
      if (finding.key().equals(key)) {
        return finding.value();
      }
    }
    return otherwise;
  }
}

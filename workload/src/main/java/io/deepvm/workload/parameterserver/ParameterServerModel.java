package io.deepvm.workload.parameterserver;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import java.util.ArrayList;
import java.util.List;

/**
 * Turns a cluster of asynchronous workers into speed and training time: equations 1 to 9.
 *
 * @param servers the bandwidth of all parameter servers together
 */
public record ParameterServerModel(ParameterServerProfile profile, Bandwidth servers) {

  public ParameterServerModel {
    WorkerType.requirePositive("bandwidth of the parameter servers", servers);
  }

  /**
   * What a worker of this type gets towards the servers among n workers: equation 8, or where
   * workers take turns, what each of n like it gets.
   */
  public double bandwidth(WorkerType type, int workers) {
    TurnTaking turns = profile.turns();
    if (turns != null) {
      return 2.0
          * profile.parameters().bytes()
          / turns.sharedSeconds(type, workers, profile.parameters(), servers);
    }
    double wanted = type.request().bytesPerSecond();
    double share = servers.bytesPerSecond() / workers;
    if (wanted <= share) {
      return wanted;
    }
    double bottleneck = profile.contention().probability(workers);
    return bottleneck * share + (1 - bottleneck) * wanted;
  }

  /** The seconds of one iteration of a worker of this type among n workers. */
  public double iterationSeconds(WorkerType type, int workers) {
    return networkSeconds(bandwidth(type, workers)) + pcieSeconds(type) + type.computeSeconds();
  }

  /** The seconds of one iteration of a worker that has the servers to itself. */
  public double aloneSeconds(WorkerType type) {
    return aloneNetworkSeconds(type) + pcieSeconds(type) + type.computeSeconds();
  }

  private double aloneNetworkSeconds(WorkerType type) {
    return profile.turns() == null
        ? networkSeconds(type.request().bytesPerSecond())
        : networkSeconds(bandwidth(type, 1));
  }

  private double networkSeconds(double bytesPerSecond) {
    return 2.0 * profile.parameters().bytes() / bytesPerSecond;
  }

  /** With turns, what a transfer takes on its way to the GPU is a part of the turn. */
  private double pcieSeconds(WorkerType type) {
    return profile.turns() != null
        ? 0
        : 2 * type.gpus() * profile.parameters().bytes() / type.pcie().bytesPerSecond();
  }

  /** Returns how fast the cluster is, each worker's speed following from their number alone. */
  public ClusterSpeed speed(List<WorkerGroup> cluster) {
    int workers = count(cluster);
    return speed(workers, present(cluster).stream().map(group -> group(group, workers)).toList());
  }

  /**
   * Returns how fast the cluster is, the turns of its unlike workers played through where they take
   * turns: nearer to the truth than {@link #speed}, but nothing a search could bound.
   */
  public ClusterSpeed played(List<WorkerGroup> cluster) {
    TurnTaking turns = profile.turns();
    if (turns == null) {
      return speed(cluster);
    }
    List<WorkerGroup> present = present(cluster);
    List<TurnTaking.Pace> paces = turns.paces(present, profile.parameters(), servers);
    List<ClusterSpeed.GroupSpeed> groups = new ArrayList<>();
    for (int i = 0; i < paces.size(); i++) {
      WorkerType type = present.get(i).type();
      double network = paces.get(i).iterationSeconds() - type.computeSeconds();
      groups.add(
          new ClusterSpeed.GroupSpeed(
              type,
              present.get(i).count(),
              2.0 * profile.parameters().bytes() / network,
              network,
              paces.get(i).waitSeconds(),
              0));
    }
    return speed(count(cluster), groups);
  }

  private static int count(List<WorkerGroup> cluster) {
    return cluster.stream().mapToInt(WorkerGroup::count).sum();
  }

  private static List<WorkerGroup> present(List<WorkerGroup> cluster) {
    List<WorkerGroup> present = cluster.stream().filter(group -> group.count() > 0).toList();
    if (present.isEmpty()) {
      throw new BadInput("A cluster without workers does not train.", "Maybe add one.");
    }
    return present;
  }

  private ClusterSpeed speed(int workers, List<ClusterSpeed.GroupSpeed> groups) {
    double rate = 0;
    double samples = 0;
    double fastest = 0;
    double squares = 0;
    for (ClusterSpeed.GroupSpeed group : groups) {
      double each = group.samplesPerSecond();
      rate += group.count() / group.iterationSeconds();
      samples += group.count() * each;
      squares += group.count() * each * each;
      fastest = Math.max(fastest, each);
    }
    return new ClusterSpeed(
        workers,
        servers.bytesPerSecond() / workers,
        profile.contention().probability(workers),
        groups,
        1 / rate,
        samples,
        samples / rate,
        convergence(samples, fastest, squares));
  }

  /**
   * The convergence coefficient from the sum of the workers' speeds, the speed of the worker that
   * trains locally in the comparison, and the sum of squares: equation 5 in closed form. The
   * paper's tables follow when that worker is the fastest.
   */
  public static double convergence(double sum, double local, double squares) {
    // The others' share, and their squares: nothing large cancels, and a lone worker has exactly 0.
    double others = sum - local;
    return Math.sqrt(Math.max(0, others * others + (squares - local * local))) / sum;
  }

  private ClusterSpeed.GroupSpeed group(WorkerGroup group, int workers) {
    WorkerType type = group.type();
    double bandwidth = bandwidth(type, workers);
    double network = networkSeconds(bandwidth);
    return new ClusterSpeed.GroupSpeed(
        type,
        group.count(),
        bandwidth,
        network,
        network - aloneNetworkSeconds(type),
        pcieSeconds(type));
  }

  /** Returns the training of the cluster to the goal. */
  public Training train(List<WorkerGroup> cluster, LossGoal goal) {
    return train(speed(cluster), goal);
  }

  /** Returns the training of a cluster of this speed to the goal. */
  public Training train(ClusterSpeed speed, LossGoal goal) {
    for (ClusterSpeed.GroupSpeed group : speed.groups()) {
      profile.loss().requireMeaningful(group.type().batch());
    }
    return new Training(speed, goal.iterations(profile.loss(), speed));
  }

  /** The loss that the cluster reaches by a number of seconds from the start. */
  public double lossAfter(ClusterSpeed speed, double seconds) {
    return profile
        .loss()
        .loss(
            speed.batch(),
            speed.convergence(),
            speed.workers(),
            seconds / speed.iterationSeconds());
  }
}

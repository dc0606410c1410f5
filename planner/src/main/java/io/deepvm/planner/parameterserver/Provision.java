package io.deepvm.planner.parameterserver;

import io.deepvm.base.Money;
import io.deepvm.workload.parameterserver.Training;
import io.deepvm.workload.parameterserver.WorkerGroup;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;

/**
 * Workers to rent and what they will do.
 *
 * @param added new workers by offer
 * @param cluster all workers, running and new, by offer
 * @param seconds until the goal, start-up and overhead included
 * @param pricePerHour of the whole cluster, with what runs already and with the servers
 * @param dollars the whole bill until then
 */
public record Provision(
    List<Integer> added,
    List<WorkerGroup> cluster,
    Training training,
    double seconds,
    Money pricePerHour,
    double dollars) {

  private static final double SECONDS_PER_HOUR = 3600;

  static Provision of(ProvisionRequest request, int[] added) {
    List<WorkerGroup> cluster = request.cluster(added);
    Training training = request.model().train(cluster, request.goal());
    Money perHour = request.pricePerHour(added);
    double billed = training.seconds() + request.billedBesidesTraining();
    return new Provision(
        Arrays.stream(added).boxed().toList(),
        cluster,
        training,
        training.seconds() + request.overheadSeconds() + request.billing().startUpSeconds(),
        perHour,
        billed / SECONDS_PER_HOUR * perHour.dollars());
  }

  int[] counts() {
    return added.stream().mapToInt(Integer::intValue).toArray();
  }

  /** The bill to the nearest micro-dollar. */
  public Money cost() {
    return Money.of(BigDecimal.valueOf(dollars));
  }

  /** How many workers train. */
  public int workers() {
    return training.speed().workers();
  }
}

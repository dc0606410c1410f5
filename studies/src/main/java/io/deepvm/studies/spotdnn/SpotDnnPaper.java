package io.deepvm.studies.spotdnn;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.planner.parameterserver.Billing;
import io.deepvm.planner.parameterserver.ProvisionRequest;
import io.deepvm.planner.parameterserver.WorkerOffer;
import io.deepvm.workload.parameterserver.Contention;
import io.deepvm.workload.parameterserver.LossCurve;
import io.deepvm.workload.parameterserver.LossGoal;
import io.deepvm.workload.parameterserver.ParameterServerModel;
import io.deepvm.workload.parameterserver.ParameterServerProfile;
import io.deepvm.workload.parameterserver.WorkerGroup;
import io.deepvm.workload.parameterserver.WorkerType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The paper's ResNet-110 on its five instance types, with the constants of its prototype: what
 * {@code --compat paper} plans with. Servers are not billed.
 */
public final class SpotDnnPaper {

  /** The instance types in the order of the paper's Table V. */
  public static final List<String> TYPES =
      List.of("p3.2xlarge", "g4dn.4xlarge", "g3.8xlarge", "g3.16xlarge", "p2.8xlarge");

  /** What each may be rented of. */
  static final List<Integer> QUOTA = List.of(2, 5, 5, 8, 5);

  /** The prototype's spot prices, with which Figures 7 and 8 were drawn. */
  static final List<String> PROTOTYPE = List.of("0.918", "0.3612", "0.684", "1.5676", "2.16");

  /** 30 % of the on-demand prices, with which Table I was made. */
  static final List<String> THIRTY_PERCENT = List.of("0.918", "0.36", "0.684", "1.368", "2.16");

  /** Table III. */
  static final List<String> ON_DEMAND = List.of("3.06", "1.2", "2.28", "4.56", "7.2");

  private SpotDnnPaper() {}

  /** Returns the model of ResNet-110 with one parameter server of 1.2 GB/s. */
  public static ParameterServerModel model() {
    return new ParameterServerModel(
        new ParameterServerProfile(
            new DataSize(11_500_000),
            megabytes(142),
            megabytes(10_000),
            Contention.of(0.8, -1.92),
            new LossCurve(876.5, -0.2, 2507.6, 0.5, null),
            Map.of()),
        megabytes(1200));
  }

  /** Returns the worker types in the order of Table V, from their speeds when alone. */
  public static List<WorkerType> workers() {
    int[] gpus = {1, 1, 2, 4, 8};
    double[] batchPerGpu = {1024, 1024, 512, 512, 1024};
    double[] samplesPerSecond = {1885, 750, 1018, 1995, 2115};
    List<WorkerType> workers = new ArrayList<>();
    for (int i = 0; i < TYPES.size(); i++) {
      workers.add(
          model()
              .profile()
              .measuredWorker(TYPES.get(i), gpus[i], batchPerGpu[i], samplesPerSecond[i]));
    }
    return workers;
  }

  /** Returns the request of the paper's evaluation for a target loss and a deadline in seconds. */
  public static ProvisionRequest request(double targetLoss, double deadlineSeconds) {
    return request(LossGoal.fromStart(targetLoss), deadlineSeconds, PROTOTYPE, QUOTA, null, 0);
  }

  static ProvisionRequest request(
      LossGoal goal,
      double deadlineSeconds,
      List<String> prices,
      List<Integer> quota,
      int @Nullable [] running,
      double overheadSeconds) {
    List<WorkerOffer> offers = new ArrayList<>();
    for (int i = 0; i < TYPES.size(); i++) {
      offers.add(
          new WorkerOffer(
              workers().get(i),
              Money.parse(prices.get(i)),
              quota.get(i),
              running == null ? 0 : running[i]));
    }
    return new ProvisionRequest(
        model(), offers, List.of(), goal, deadlineSeconds, overheadSeconds, Billing.PAPER);
  }

  /** Returns a number of workers of each type. */
  static List<WorkerGroup> cluster(int... counts) {
    List<WorkerGroup> cluster = new ArrayList<>();
    for (int i = 0; i < counts.length; i++) {
      cluster.add(new WorkerGroup(workers().get(i), counts[i]));
    }
    return cluster;
  }

  static Bandwidth megabytes(double perSecond) {
    return Bandwidth.ofMbps(perSecond * Byte.SIZE);
  }
}

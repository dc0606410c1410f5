package io.deepvm.workload.parameterserver;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import java.util.ArrayList;
import java.util.List;

/**
 * How the training time follows one input of the model.
 *
 * @param percentPerPercent by how many percent the time grows when the input's size grows by one
 */
public record ServerSensitivity(String input, double percentPerPercent) {

  private static final double STEP = 0.01;

  /** Returns the sensitivity of the cluster's training time to each input, each moved by 1 %. */
  public static List<ServerSensitivity> of(
      ParameterServerModel model, List<WorkerGroup> cluster, LossGoal goal) {
    ParameterServerProfile profile = model.profile();
    Contention contention = profile.contention();
    LossCurve loss = profile.loss();
    double base = model.train(cluster, goal).seconds();
    List<ServerSensitivity> all = new ArrayList<>();
    all.add(
        of(
            "parameters",
            base,
            with(
                model,
                new ParameterServerProfile(
                    new DataSize(Math.round(profile.parameters().bytes() * (1 + STEP))),
                    profile.request(),
                    profile.pcie(),
                    contention,
                    loss,
                    profile.gpus(),
                    profile.turns())),
            cluster,
            goal));
    all.add(
        of(
            "servers' bandwidth",
            base,
            new ParameterServerModel(profile, more(model.servers())),
            cluster,
            goal));
    all.add(of("workers' bandwidth", base, model, each(cluster, 1, 1 + STEP, 1), goal));
    all.add(of("PCIe bandwidth", base, model, each(cluster, 1, 1, 1 + STEP), goal));
    all.add(of("compute seconds", base, model, each(cluster, 1 + STEP, 1, 1), goal));
    all.add(
        of(
            "alpha1",
            base,
            with(
                model,
                profile.withContention(
                    new Contention(
                        contention.alpha() * (1 + STEP),
                        contention.beta(),
                        contention.overPrediction()))),
            cluster,
            goal));
    all.add(
        of(
            "beta1",
            base,
            with(
                model,
                profile.withContention(
                    new Contention(
                        contention.alpha(),
                        contention.beta() * (1 + STEP),
                        contention.overPrediction()))),
            cluster,
            goal));
    for (int gamma = 1; gamma <= 5; gamma++) {
      if (gamma != 4 || loss.gamma4() != null) {
        LossCurve moved = moved(loss, gamma);
        if (moved.reaches(goal.target())) {
          all.add(of("gamma" + gamma, base, with(model, profile.withLoss(moved)), cluster, goal));
        }
      }
    }
    return all;
  }

  private static ServerSensitivity of(
      String input,
      double base,
      ParameterServerModel model,
      List<WorkerGroup> cluster,
      LossGoal goal) {
    double moved = model.train(cluster, goal).seconds();
    return new ServerSensitivity(input, base == 0 ? 0 : (moved / base - 1) / STEP);
  }

  private static ParameterServerModel with(
      ParameterServerModel model, ParameterServerProfile profile) {
    return new ParameterServerModel(profile, model.servers());
  }

  private static LossCurve moved(LossCurve loss, int gamma) {
    Double gamma4 = loss.gamma4();
    return new LossCurve(
        loss.gamma1() * (gamma == 1 ? 1 + STEP : 1),
        loss.gamma2() * (gamma == 2 ? 1 + STEP : 1),
        loss.gamma3() * (gamma == 3 ? 1 + STEP : 1),
        loss.floor() * (gamma == 5 ? 1 + STEP : 1),
        gamma4 == null ? null : Double.valueOf(gamma4 * (gamma == 4 ? 1 + STEP : 1)));
  }

  private static List<WorkerGroup> each(
      List<WorkerGroup> cluster, double compute, double request, double pcie) {
    return cluster.stream()
        .map(
            group -> {
              WorkerType type = group.type();
              return new WorkerGroup(
                  new WorkerType(
                      type.name(),
                      type.gpus(),
                      type.batch(),
                      type.computeSeconds() * compute,
                      times(type.request(), request),
                      times(type.pcie(), pcie)),
                  group.count());
            })
        .toList();
  }

  private static Bandwidth more(Bandwidth bandwidth) {
    return times(bandwidth, 1 + STEP);
  }

  private static Bandwidth times(Bandwidth bandwidth, double factor) {
    return new Bandwidth(Math.round(bandwidth.bitsPerSecond() * factor));
  }
}

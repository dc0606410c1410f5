package io.deepvm.workload.parameterserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ParameterServerModelTest {

  private static final double TOLERANCE = 1e-9;

  @Test
  void everyModelVectorIsMet() throws IOException {
    JsonNode root = SpotDnnVectors.read();
    JsonNode cases = root.get("model_cases");
    assertThat(cases).hasSizeGreaterThan(20);
    for (JsonNode testCase : cases) {
      check(root, testCase, false);
      check(root, testCase, true);
    }
  }

  private static void check(JsonNode root, JsonNode testCase, boolean full) {
    JsonNode params = testCase.get("params");
    JsonNode expected = testCase.get("expected");
    JsonNode loss = expected.get(full ? "eq3_full" : "noCC");
    boolean untrained = loss == null;
    LossCurve curve =
        new LossCurve(
            params.get("g1").asDouble(),
            full && !untrained ? loss.get("gamma2").asDouble() : params.get("g2").asDouble(),
            full && !untrained ? loss.get("gamma3").asDouble() : params.get("g3").asDouble(),
            params.get("g5").asDouble(),
            full && !untrained ? Double.valueOf(loss.get("gamma4").asDouble()) : null);
    Contention contention =
        new Contention(
            params.get("a1").asDouble(),
            params.get("b1").asDouble(),
            testCase.get("overprediction").asDouble());
    ParameterServerProfile profile = SpotDnnVectors.profile(params, contention, curve);
    ParameterServerModel model =
        new ParameterServerModel(profile, SpotDnnVectors.megabytes(params.get("Bps").asDouble()));
    List<WorkerType> types = SpotDnnVectors.types(root, testCase, profile);
    List<WorkerGroup> cluster = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      cluster.add(new WorkerGroup(types.get(i), testCase.get("counts").get(i).asInt()));
    }
    ClusterSpeed speed = model.speed(cluster);
    String id = testCase.get("id").asText();
    close(id + " share", speed.fairShare() / 1e6, expected.get("fair_share_MBps"));
    close(id + " P", speed.bottleneckProbability(), expected.get("P"));
    close(id + " T_exp", speed.iterationSeconds(), expected.get("T_exp_s"));
    close(id + " v", speed.samplesPerSecond(), expected.get("v_samples_per_s"));
    close(id + " b_w", speed.batch(), expected.get("b_w"));
    close(id + " R", speed.convergence(), expected.get("R_fastest_first"));
    close(id + " R of the slowest", slowestFirst(speed), expected.get("R_slowest_first"));
    assertThat(speed.convergence()).isLessThanOrEqualTo(slowestFirst(speed) + 1e-12);
    for (ClusterSpeed.GroupSpeed group : speed.groups()) {
      String type = group.type().name();
      close(id + " B_wk", group.bandwidth() / 1e6, expected.get("B_wk_MBps"));
      close(id + " T_comm", group.communicationSeconds(), expected.get("T_comm_s").get(type));
      close(id + " T_comp", group.type().computeSeconds(), expected.get("T_comp_s").get(type));
      close(id + " T_iter", group.iterationSeconds(), expected.get("T_iter_s").get(type));
    }
    if (untrained) {
      return; // a case of speed alone
    }
    double target = expected.get("target_loss").asDouble();
    Training training = model.train(cluster, LossGoal.fromStart(target));
    close(id + " j", training.iterations(), loss.get("j"));
    close(id + " time", training.seconds(), loss.get("time_s"));
    close(id + " loss", model.lossAfter(speed, training.seconds()), loss.get("loss_at_j"));
  }

  /** The distance from local training on the slowest worker, which the paper does not mean. */
  private static double slowestFirst(ClusterSpeed speed) {
    double slowest = Double.POSITIVE_INFINITY;
    double squares = 0;
    for (ClusterSpeed.GroupSpeed group : speed.groups()) {
      double each = group.samplesPerSecond();
      slowest = Math.min(slowest, each);
      squares += group.count() * each * each;
    }
    return ParameterServerModel.convergence(speed.samplesPerSecond(), slowest, squares);
  }

  private static void close(String what, double actual, JsonNode expected) {
    double value = expected.asDouble();
    assertThat(actual).as(what).isCloseTo(value, within(TOLERANCE * Math.abs(value) + 1e-15));
  }

  @Test
  void boundsAndBatchesAreThoseOfTheVectors() throws IOException {
    JsonNode misc = SpotDnnVectors.read().get("misc");
    for (JsonNode row : misc.get("eq15_n_upper")) {
      assertThat(
              Contention.of(row.get("alpha1").asDouble(), row.get("beta1").asDouble())
                  .mostWorkers())
          .isEqualTo(row.get("n_upper").asInt());
    }
    for (JsonNode row : misc.get("eq9_P")) {
      close("P", Contention.of(0.8, -1.92).probability(row.get("n").asInt()), row.get("P"));
    }
    JsonNode batches = misc.get("eq10_batch");
    for (JsonNode row : batches.get("rows")) {
      assertThat(
              GpuProfile.batch(
                  batches.get("alpha2_per_GB").asDouble(),
                  batches.get("beta2").asDouble(),
                  row.get("mem_GB").asDouble()))
          .isEqualTo(row.get("b").asDouble());
    }
  }

  @Test
  void moreServersNeverSlowAClusterDown() {
    ParameterServerProfile profile = resnet110();
    WorkerType p3 = profile.measuredWorker("p3.2xlarge", 1, 1024, 1885);
    double before = 0;
    for (int servers = 1; servers <= 5; servers++) {
      ParameterServerModel model =
          new ParameterServerModel(profile, Bandwidth.ofMbps(servers * 9600.0));
      double now = model.speed(List.of(new WorkerGroup(p3, 40))).samplesPerSecond();
      assertThat(now).isGreaterThanOrEqualTo(before);
      before = now;
    }
    assertThat(before).isCloseTo(40 * 1885.0, within(1e-6));
  }

  @Test
  void theSensitivityToComputingAndTransfersAddsUpToTheWholeTime() {
    ParameterServerModel model = new ParameterServerModel(resnet110(), Bandwidth.ofMbps(9600));
    List<WorkerGroup> one =
        List.of(new WorkerGroup(model.profile().measuredWorker("p3.2xlarge", 1, 1024, 1885), 4));
    List<ServerSensitivity> all = ServerSensitivity.of(model, one, LossGoal.fromStart(0.8));
    assertThat(share(all, "compute seconds") + share(all, "parameters")).isCloseTo(1, within(1e-6));
    assertThat(share(all, "servers' bandwidth")).isZero();
    assertThat(share(all, "workers' bandwidth")).isNegative();
    assertThat(model.speed(one).bottleneck()).isEqualTo(ClusterSpeed.Bottleneck.COMPUTE);
  }

  private static double share(List<ServerSensitivity> all, String input) {
    return all.stream()
        .filter(each -> each.input().equals(input))
        .mapToDouble(ServerSensitivity::percentPerPercent)
        .sum();
  }

  @Test
  void badInputIsNamed() {
    ParameterServerModel model = new ParameterServerModel(resnet110(), Bandwidth.ofMbps(9600));
    WorkerType p3 = model.profile().measuredWorker("p3.2xlarge", 1, 1024, 1885);
    List<WorkerGroup> one = List.of(new WorkerGroup(p3, 1));
    assertThatThrownBy(() -> model.train(one, LossGoal.fromStart(0.5)))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("0.5");
    assertThatThrownBy(() -> model.speed(List.of())).isInstanceOf(BadInput.class);
    assertThatThrownBy(() -> new ParameterServerModel(resnet110(), new Bandwidth(-1)))
        .isInstanceOf(BadInput.class);
    WorkerType huge = new WorkerType("huge", 64, 65536, 1, p3.request(), p3.pcie());
    assertThatThrownBy(
            () -> model.train(List.of(new WorkerGroup(huge, 1)), LossGoal.fromStart(0.8)))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("65536");
  }

  private static ParameterServerProfile resnet110() {
    return new ParameterServerProfile(
        new DataSize(11_500_000),
        Bandwidth.ofMbps(1136),
        Bandwidth.ofMbps(80_000),
        Contention.of(0.8, -1.92),
        new LossCurve(876.5, -0.2, 2507.6, 0.5, null),
        Map.of());
  }
}

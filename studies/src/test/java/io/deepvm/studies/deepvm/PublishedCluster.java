package io.deepvm.studies.deepvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Market;
import io.deepvm.planner.NodeGroup;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Role;
import io.deepvm.studies.Performance;
import io.deepvm.workload.Job;
import io.deepvm.workload.ScalingCurve;
import org.assertj.core.data.Percentage;
import org.jspecify.annotations.Nullable;

/** Compares a plan with a cluster as the vectors write it. */
final class PublishedCluster {

  private static final Percentage ROUNDING = Percentage.withPercentage(1e-7);

  private PublishedCluster() {}

  static void assertSame(@Nullable Plan plan, JsonNode published, String which) {
    assertThat(print(plan)).as(which).isEqualTo(print(published));
    if (plan == null) {
      return;
    }
    assertThat(plan.pricePerHour().dollars())
        .as(which)
        .isCloseTo(published.get("hourly_cost").asDouble(), within(1e-9));
    assertThat(count(plan, Market.SPOT)).as(which).isEqualTo(published.get("spot_vms").asInt());
    assertThat(count(plan, Market.ON_DEMAND))
        .as(which)
        .isEqualTo(published.get("ondemand_vms").asInt());
    assertPerformance(plan, published, which);
  }

  private static void assertPerformance(Plan plan, JsonNode published, String which) {
    Machine worker = Performance.worker(plan);
    int n = Performance.trainingNodes(plan);
    ScalingCurve.Logistic curve = (ScalingCurve.Logistic) Job.UNSTATED.scaling().of(worker);
    assertClose(curve.factor(n), published.get("K"), which);
    assertClose(n * curve.factor(n), published.get("nK"), which);
    assertClose(curve.estimate(n), published.get("est_speedup"), which);
    Performance performance = Performance.of(plan, Job.UNSTATED);
    assertClose(performance.flopsNK(), published.get("perf_flops_nK"), which);
    assertClose(performance.flopsN2K(), published.get("perf_flops_n2K"), which);
    if (n > 1) { // ours says 1 where the fit is far off
      assertClose(performance.flopsSpeedup(), published.get("perf_flops_est_speedup"), which);
    }
  }

  static void assertClose(double ours, JsonNode published, String which) {
    assertThat(ours).as(which).isCloseTo(published.asDouble(), ROUNDING);
  }

  /** "tiering 17 g4dn.xlarge + 1 c5.xlarge" or "none". */
  static String print(@Nullable Plan plan) {
    if (plan == null) {
      return "none";
    }
    boolean tiering = plan.architecture().equals("tiering");
    return print(
        plan.architecture(),
        Performance.trainingNodes(plan),
        Performance.worker(plan).name(),
        tiering ? plan.count(Role.ANCHOR) : 0,
        tiering ? anchor(plan) : "");
  }

  static String print(JsonNode published) {
    if (published.isNull()) {
      return "none";
    }
    return print(
        published.get("arch").asText().replace('_', '-'),
        published.get("n").asInt(),
        published.get("worker").asText(),
        published.get("m").asInt(),
        published.get("remote").asText(""));
  }

  private static String print(String architecture, int n, String worker, int m, String anchor) {
    return "%s %d %s + %d %s"
        .formatted(architecture, n, worker, m, anchor.equals("null") ? "" : anchor);
  }

  private static String anchor(Plan plan) {
    return plan.nodes().stream()
        .filter(group -> group.role() == Role.ANCHOR)
        .map(group -> group.offer().machine().name())
        .findFirst()
        .orElseThrow();
  }

  private static int count(Plan plan, Market market) {
    return plan.nodes().stream()
        .filter(group -> group.offer().market() == market)
        .mapToInt(NodeGroup::count)
        .sum();
  }
}

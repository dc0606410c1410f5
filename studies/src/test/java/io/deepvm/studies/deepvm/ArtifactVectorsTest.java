package io.deepvm.studies.deepvm;

import static io.deepvm.studies.deepvm.PublishedCluster.assertClose;
import static io.deepvm.studies.deepvm.PublishedCluster.assertSame;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.planner.Plan;
import io.deepvm.studies.BudgetPolicy;
import io.deepvm.studies.Performance;
import io.deepvm.workload.Job;
import io.deepvm.workload.NetworkSaturation;
import io.deepvm.workload.ScalingCurve;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ArtifactVectorsTest {

  private static final List<String> POLICIES =
      List.of("cost_first", "performance_first", "deepvm_noscale", "deepvm");

  private final JsonNode vectors = Vectors.read();

  @Test
  void everyRunRowIsAnsweredBitForBit() {
    Catalog catalog = Vectors.catalog(vectors, "real");
    for (JsonNode row : vectors.get("run")) {
      String which =
          "pw %s, buffer %s, checkpoint %s"
              .formatted(row.get("pw"), row.get("buffer_size"), row.get("ckp_file_size"));
      Money budget = Vectors.money(row.get("pw"));
      double buffer = row.get("buffer_size").asDouble();
      double checkpointGb = row.get("ckp_file_size").asDouble();
      JsonNode artifact = row.get("artifact");
      List<Plan> top =
          ArtifactPlanner.plan(
              catalog, Job.UNSTATED, budget, buffer, checkpointGb, ArtifactScript.RUN);
      JsonNode topThree = artifact.get("deepvm_top3");
      assertThat(top).as(which).hasSize(topThree.size());
      for (int i = 0; i < top.size(); i++) {
        assertSame(top.get(i), topThree.get(i), which);
        assertThat(top.get(i).score()).as(which).isEqualTo(topThree.get(i).get("Z").asDouble());
      }
      List<BudgetPolicy> policies =
          DeepVmPolicies.published(catalog, Job.UNSTATED, DataSize.ofGb(checkpointGb), buffer);
      for (int i = 0; i < 3; i++) {
        assertSame(policies.get(i).choose(budget), artifact.get(POLICIES.get(i)), which);
      }
      assertThat(policies.get(3).choose(budget))
          .as(which)
          .usingRecursiveComparison()
          .ignoringFields("why")
          .isEqualTo(top.isEmpty() ? null : top.get(0));
    }
  }

  @Test
  void everySimulationRowIsAnsweredBitForBit() {
    Catalog catalog = Vectors.catalog(vectors, "simulation");
    List<BudgetPolicy> policies =
        DeepVmPolicies.published(catalog, Job.UNSTATED, DataSize.ofGb(0.5), 2);
    for (JsonNode row : vectors.get("simulation")) {
      for (int i = 0; i < policies.size(); i++) {
        String which = "pw %s, %s".formatted(row.get("pw"), POLICIES.get(i));
        Plan plan = policies.get(i).choose(Vectors.money(row.get("pw")));
        assertSame(plan, row.get("artifact").get(POLICIES.get(i)), which);
        if (plan != null) {
          assertClose(
              Performance.of(plan, Job.UNSTATED).flopsN2K(),
              row.get("performance_eval_final_n2K").get(POLICIES.get(i)),
              which);
        }
        if (plan != null && i == 3) {
          assertThat(plan.score())
              .as(which)
              .isEqualTo(row.get("artifact").get("deepvm").get("Z").asDouble());
        }
      }
    }
  }

  @Test
  void everyScalingRowIsOnTheCurve() {
    for (JsonNode catalog : vectors.get("scaling")) {
      for (Map.Entry<String, JsonNode> type : catalog.properties()) {
        JsonNode fit = type.getValue();
        ScalingCurve.Logistic curve =
            new ScalingCurve.Logistic(
                fit.get("a").asDouble(), fit.get("b").asDouble(), fit.get("c").asDouble());
        for (JsonNode row : fit.get("rows")) {
          int n = row.get("n").asInt();
          String which = "%s, n %d".formatted(type.getKey(), n);
          assertClose(curve.logistic(n), row.get("S"), which);
          assertClose(curve.tangent(n), row.get("L"), which);
          assertClose(curve.factor(n), row.get("K"), which);
          assertClose(n * curve.factor(n), row.get("nK"), which);
          assertClose(curve.estimate(n), row.get("est_speedup"), which);
        }
      }
    }
  }

  @Test
  void everySmallestNumberOfAnchorsIsMet() {
    for (JsonNode row : vectors.get("m_min")) {
      assertThat(NetworkSaturation.anchorsNeeded(row.get("n").asInt(), row.get("n_sat").asDouble()))
          .as(row.toString())
          .isEqualTo(row.get("m_min_strict").asInt());
    }
  }
}

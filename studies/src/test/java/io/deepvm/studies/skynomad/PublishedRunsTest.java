package io.deepvm.studies.skynomad;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.deepvm.simulator.gang.GangMarket;
import io.deepvm.simulator.gang.PaceValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;

/** Every published run of the sweeps and of the appendix, against the original run again. */
class PublishedRunsTest {

  private static final double TOLERANCE = 1e-9;

  private static final Map<String, PaceValue> VALUES =
      Map.of(
          "log_barrier", PaceValue.LOG_BARRIER,
          "alpha_0.5", PaceValue.SQUARE_ROOT,
          "quadratic", PaceValue.QUADRATIC,
          "hjb_exp", PaceValue.EXPONENTIAL,
          "time_only", PaceValue.TIME_ONLY,
          "neely_dpp", PaceValue.DRIFT_PLUS_PENALTY);

  @Test
  void everyPublishedPointIsReproduced() {
    JsonNode vectors = Vectors.read();
    Traces traces = Traces.packed();
    List<JsonNode> points = new ArrayList<>();
    vectors.get("published").forEach(points::add);
    List<ArtifactOutcome> outcomes =
        points.parallelStream()
            .map(
                point ->
                    ArtifactSimulator.run(
                        point.get("policy").asText(),
                        market(vectors, traces, point),
                        Vectors.given(point, point.get("start_tick").asInt())))
            .toList();
    SoftAssertions soft = new SoftAssertions();
    for (int i = 0; i < points.size(); i++) {
      check(soft, points.get(i), outcomes.get(i));
    }
    soft.assertAll();
    assertThat(points).hasSizeGreaterThan(1200);
  }

  private static GangMarket market(JsonNode vectors, Traces traces, JsonNode point) {
    if (point.has("zone")) {
      return traces.market(point.get("data").asText(), List.of(point.get("zone").asText()));
    }
    JsonNode scenario = vectors.get("scenarios").get(point.get("scenario").asText());
    return traces.market(scenario.get("data").asText(), Vectors.texts(scenario.get("zones")));
  }

  private static void check(SoftAssertions soft, JsonNode point, ArtifactOutcome outcome) {
    String name = point.toString();
    near(soft, name, outcome.publishedDollars(), point.get("rerun_cost"));
    near(soft, name, outcome.full().dollars(), point.path("full_cost"));
    near(soft, name, outcome.full().egressDollars(), point.path("egress_usd"));
    near(soft, name, outcome.full().probeDollars(), point.path("probe_usd"));
    same(soft, name, outcome.full().finishTick(), point.path("finish_tick"));
    same(soft, name, outcome.publishedMigrations(), point.path("published_migrations"));
    same(soft, name, outcome.full().migrations(), point.path("migrations_full"));
    if (point.has("safety_net")) {
      soft.assertThat(outcome.safetyNet()).as(name).isEqualTo(point.get("safety_net").asBoolean());
    }
  }

  private static void near(SoftAssertions soft, String name, double ours, JsonNode theirs) {
    if (!theirs.isMissingNode()) {
      double expected = theirs.asDouble();
      soft.assertThat(ours).as(name).isCloseTo(expected, within(TOLERANCE * (1 + expected)));
    }
  }

  private static void same(SoftAssertions soft, String name, int ours, JsonNode theirs) {
    if (!theirs.isMissingNode() && theirs.asInt() >= 0) {
      soft.assertThat(ours).as(name).isEqualTo(theirs.asInt());
    }
  }

  @Test
  void everyRunOfTheAppendixIsReproduced() {
    JsonNode ablation = Vectors.read().get("ablation_a7");
    Traces traces = Traces.packed();
    SoftAssertions soft = new SoftAssertions();
    for (JsonNode run : ablation.get("runs")) {
      JsonNode cell = ablation.get("data").get(run.get("cell").asText());
      GangMarket market =
          traces.market(cell.get("folder").asText(), Vectors.texts(cell.get("zones")));
      double deadline = cell.get("deadline_hours").asDouble();
      ArtifactCase given =
          new ArtifactCase(
              deadline / run.get("ratio").asDouble(),
              deadline,
              ablation.get("restart_hours").asDouble(),
              ablation.get("checkpoint_gb").asDouble(),
              run.get("start_tick").asInt());
      PaceValue value = VALUES.get(run.get("V").asText());
      ArtifactOutcome outcome =
          value == null
              ? ArtifactSimulator.run(ArtifactSimulator.OPTIMAL, market, given)
              : ArtifactSimulator.run(value, market, given);
      String name = run.toString();
      near(soft, name, outcome.full().dollars(), run.get("full_cost"));
      same(soft, name, outcome.full().finishTick(), run.get("finish_tick"));
      same(soft, name, outcome.full().migrations(), run.path("migrations_full"));
    }
    soft.assertAll();
    assertThat(ablation.get("runs")).hasSize(336);
  }

  @Test
  void thePackedTracesAreTheOriginals() {
    Traces packed = Traces.packed();
    Traces original = Traces.of(Vectors.data());
    for (JsonNode scenario : Vectors.read().get("scenarios")) {
      List<String> zones = Vectors.texts(scenario.get("zones"));
      String data = scenario.get("data").asText();
      GangMarket ours = packed.market(data, zones);
      GangMarket theirs = original.market(data, zones);
      assertThat(ours.ticks()).isEqualTo(theirs.ticks());
      assertThat(ours.tickSeconds()).isEqualTo(theirs.tickSeconds());
      for (int z = 0; z < zones.size(); z++) {
        assertThat(ours.onDemand(z)).isEqualTo(theirs.onDemand(z));
        for (int t = 0; t < ours.ticks(); t++) {
          if (ours.up(z, t) != theirs.up(z, t) || ours.spot(z, t) != theirs.spot(z, t)) {
            throw new AssertionError("%s differs at tick %d".formatted(zones.get(z), t));
          }
        }
      }
    }
  }
}

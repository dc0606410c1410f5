package io.deepvm.planner.parameterserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import io.deepvm.workload.parameterserver.LossCurve;
import io.deepvm.workload.parameterserver.LossGoal;
import io.deepvm.workload.parameterserver.WorkerType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ProvisionVectorsTest {

  private static JsonNode read() throws IOException {
    Path file =
        Path.of(System.getProperty("deepvm.root", "."), "../shared/vectors/spotdnn.json")
            .normalize();
    assumeTrue(Files.exists(file), "no shared reference data");
    return new ObjectMapper().readTree(file.toFile());
  }

  @Test
  void theWindowFindsThePlansOfTheVectors() throws IOException {
    JsonNode cases = read().get("provision_cases");
    assertThat(cases).hasSizeGreaterThan(10);
    for (JsonNode testCase : cases) {
      check(testCase, ResNet110.LOSS, "alg1_noCC", new SlidingWindow());
      check(testCase, ResNet110.FULL_LOSS, "alg1_eq3_full", new SlidingWindow());
    }
  }

  @Test
  void exhaustiveAndExactSearchFindTheOptimaOfTheVectors() throws IOException {
    for (JsonNode testCase : read().get("provision_cases")) {
      if (testCase.get("expected").has("exhaustive_noCC")) {
        check(testCase, ResNet110.LOSS, "exhaustive_noCC", new Exhaustive());
        check(testCase, ResNet110.LOSS, "exhaustive_noCC", new ExactSearch());
      }
    }
  }

  private static void check(
      JsonNode testCase, LossCurve loss, String variant, ProvisionSearch search) {
    String id = testCase.get("id").asText() + " " + variant + " " + search;
    JsonNode expected = testCase.get("expected").get(variant);
    double target = testCase.get("target_loss").asDouble();
    if (!loss.reaches(target)) {
      assertThat(expected.get("feasible").asBoolean()).as(id).isFalse();
      assertThatThrownBy(() -> search.search(request(testCase, loss))).isInstanceOf(BadInput.class);
      return;
    }
    ProvisionRequest request = request(testCase, loss);
    ProvisionOutcome outcome = search.search(request);
    if (expected.isNull() || !expected.path("feasible").asBoolean(true)) {
      assertThat(outcome.best()).as(id).isNull();
      return;
    }
    Provision best = Objects.requireNonNull(outcome.best(), id);
    List<Integer> plan = new ArrayList<>();
    expected.get("plan").forEach(count -> plan.add(count.asInt()));
    assertThat(best.cluster().stream().map(group -> group.count()).toList()).as(id).isEqualTo(plan);
    close(id, best.training().seconds(), expected.get("time_s"));
    close(id, best.dollars(), expected.get("cost_usd"));
    if (search instanceof SlidingWindow) {
      assertThat(outcome.considered()).as(id).isEqualTo(expected.get("windows_evaluated").asLong());
      close(id, best.seconds(), expected.get("time_with_overhead_s"));
      close(id, best.training().iterations(), expected.get("j"));
      WorkerBounds bounds = WorkerBounds.asPublished(request);
      assertThat(bounds.lower()).isEqualTo(expected.get("eq16").get("n_lower").asInt());
      assertThat(WorkerBounds.safe(request).lower()).isLessThanOrEqualTo(bounds.lower());
      assertThat(bounds.upper()).isEqualTo(13);
    }
  }

  private static void close(String what, double actual, JsonNode expected) {
    double value = expected.asDouble();
    assertThat(actual).as(what).isCloseTo(value, within(1e-9 * value));
  }

  private static ProvisionRequest request(JsonNode testCase, LossCurve loss) {
    List<WorkerOffer> offers = new ArrayList<>();
    for (int i = 0; i < testCase.get("types").size(); i++) {
      WorkerType type = ResNet110.type(testCase.get("types").get(i).asText());
      offers.add(
          new WorkerOffer(
              type,
              Money.parse(testCase.get("prices").get(i).asText()),
              testCase.get("quota").get(i).asInt(),
              testCase.get("existing").get(i).asInt()));
    }
    JsonNode current = testCase.get("current_loss");
    @Nullable Double reached = current.isNull() ? null : Double.valueOf(current.asDouble());
    return new ProvisionRequest(
        ResNet110.model(loss),
        offers,
        List.of(),
        new LossGoal(testCase.get("target_loss").asDouble(), reached),
        testCase.get("deadline_s").asDouble(),
        testCase.get("revocation_overhead_s").asDouble(),
        Billing.PAPER);
  }
}

package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.catalog.Catalogs;
import io.deepvm.cli.watch.PlannerSource;
import io.deepvm.page.PageKey;
import io.deepvm.page.PageServer;
import io.deepvm.page.explore.ExploreSite;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page of the planner answers as the command that it shows. */
class ExploreIT {

  private static final JsonMapper JSON = new JsonMapper();
  private static final Path JOB =
      Path.of(System.getProperty("deepvm.root", "..")).resolve("examples/resnet50.yaml");
  private static final Clock DAY =
      Clock.fixed(Instant.parse("2026-09-01T12:00:00Z"), ZoneOffset.UTC);

  private PageServer server;

  @BeforeEach
  void start() throws IOException {
    server =
        PageServer.start(
            PageKey.fresh(),
            new ExploreSite(new PlannerSource(Main::run, DAY, Catalogs.DEFAULT, JOB)));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @CsvSource({
    "price, 9",
    "cost, 1.5",
    "deadline, 100min",
    "gpu, L4",
    "place, aws/us-*",
    "market, on-demand",
    "objective, cost",
    "architecture, single-anchor",
    "model, resnet18",
    "confidence, 0.95",
  })
  void eachControlChangesTheAnswerAndTheCommandGivesTheSame(String control, String value)
      throws Exception {
    Map<String, String> base = new LinkedHashMap<>();
    base.put("price", "3");
    base.put("deadline", "24h");
    base.put("model", "resnet50");
    Map<String, String> changed = new LinkedHashMap<>(base);
    changed.put(control, value);
    JsonNode before = get("plan", base);
    JsonNode after = get("plan", changed);
    assertThat(after.path("answer")).isNotEqualTo(before.path("answer"));

    ShellLine line = ShellLine.parse(after.path("command").asText());
    List<String> typed = line.steps().get(0).words();
    List<String> words = new ArrayList<>(typed.subList(1, typed.size()));
    words.addAll(List.of("--output", "json"));
    Screen screen = Screen.run(words.toArray(new String[0]));
    assertThat(screen.exitCode()).isEqualTo(after.path("exit").asInt());
    assertThat(JSON.readTree(screen.out())).isEqualTo(after.path("answer"));
  }

  /** Prints how long answers take, for bench/RESULTS.md; a busy machine proves nothing. */
  @Test
  void eachControlIsAskedOverHttpAndTimed() throws Exception {
    Map<String, String> controls = new LinkedHashMap<>();
    controls.put("price", "9");
    controls.put("cost", "40");
    controls.put("deadline", "8h");
    controls.put("model", "resnet50");
    controls.put("gpu", "T4");
    controls.put("place", "aws/us-*");
    controls.put("market", "on-demand");
    controls.put("objective", "cost");
    controls.put("architecture", "averaging");
    int asked = 0;
    List<String> lines = new ArrayList<>();
    for (int round = 0; round < 2; round++) {
      lines.clear();
      for (Map.Entry<String, String> control : controls.entrySet()) {
        List<Double> milliseconds = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
          Map<String, String> query = new LinkedHashMap<>();
          // Another price each time: an answer that is kept takes no time.
          query.put("price", "3." + (100 + asked++));
          query.put("deadline", "24h");
          query.put("model", "resnet50");
          query.merge(control.getKey(), control.getValue(), (old, value) -> value);
          if (control.getKey().equals("price")) {
            query.put("price", "9." + (100 + asked++));
          }
          long start = System.nanoTime();
          assertThat(get("plan", query).path("command").asText()).startsWith("deepvm plan");
          milliseconds.add((System.nanoTime() - start) / 1e6);
        }
        milliseconds.sort(null);
        lines.add(
            "%s: median %.0f ms, most %.0f ms"
                .formatted(control.getKey(), milliseconds.get(2), milliseconds.get(4)));
      }
    }
    System.out.println("Answers of the planner's page: " + String.join("; ", lines));
    assertThat(lines).hasSize(controls.size());
  }

  @Test
  void theJobFileIsOfferedAndPlanned() throws Exception {
    assertThat(get("choices", Map.of()).path("job").asText()).isEqualTo(JOB.toString());
    JsonNode answer = get("plan", Map.of("price", "3", "job", JOB.toString()));
    assertThat(answer.path("exit").asInt()).isZero();
    assertThat(answer.path("answer").path("paretoFront").size()).isGreaterThan(5);
  }

  @Test
  void whatDoesNotFitOrIsWrongIsSaid() throws Exception {
    JsonNode tooLittle = get("plan", Map.of("price", "0.001"));
    assertThat(tooLittle.path("exit").asInt()).isEqualTo(3);
    assertThat(tooLittle.path("messages").asText()).contains("Maybe");
    JsonNode wrong = get("plan", Map.of("price", "much"));
    assertThat(wrong.path("exit").asInt()).isEqualTo(2);
    assertThat(wrong.path("messages").asText()).contains("much");
  }

  @Test
  void aValueNeverBecomesAnOption() throws Exception {
    JsonNode answer = get("plan", Map.of("price", "3", "gpu", "--config=/etc/passwd"));
    assertThat(answer.path("exit").asInt()).isEqualTo(2);
    assertThat(answer.path("command").asText()).contains("--gpu=--config");
    assertThat(answer.path("messages").asText()).doesNotContain("root:");
    assertThat(status("plan", Map.of("explain", "true"))).isEqualTo(400);
  }

  @Test
  void thePapersPoliciesThePlacesAndTheRecordsAnswer() throws Exception {
    JsonNode rows = get("policies", Map.of("to", "4")).path("answer").path("rows");
    assertThat(rows.size()).isGreaterThan(8);
    assertThat(rows.findValuesAsText("policy")).contains("cost-first", "DeepVM");
    JsonNode places = get("places", Map.of("gpu", "T4"));
    assertThat(places.size()).isGreaterThan(5);
    assertThat(places.get(0).path("spot").asDouble()).isPositive();
    JsonNode history = get("history", Map.of("trace", "aws-v100-2023-02"));
    assertThat(history.path("pools").get(0).path("available").size()).isGreaterThan(100);
    assertThat(status("history", Map.of("trace", "/etc/passwd"))).isEqualTo(400);
    assertThat(status("pool", Map.of("place", "", "type", "g5.xlarge"))).isEqualTo(400);
  }

  @Test
  void aPoolHasTheRecordThatIsNearestToIt() throws Exception {
    JsonNode itself =
        get("pool", Map.of("place", "aws/us-west-2/us-west-2a", "type", "p3.2xlarge"));
    assertThat(itself.path("lossesOf").asText()).isEqualTo("POOL");
    assertThat(itself.path("recorded").asText()).isEqualTo("aws/us-west-2/us-west-2a p3.2xlarge");
    assertThat(itself.path("hoursPerLoss").asDouble()).isEqualTo(6.10);
    JsonNode borrowed =
        get("pool", Map.of("place", "gcp/us-central1/us-central1-a", "type", "g2-standard-4"));
    assertThat(borrowed.path("lossesOf").asText()).isEqualTo("BORROWED");
    assertThat(borrowed.path("trace").asText()).isEqualTo("gcp-h100-2025-10");
    // The pool whose losses are most like those of the whole record.
    assertThat(borrowed.path("recorded").asText()).contains("a3-highgpu-1g");
    JsonNode priced =
        get("pool", Map.of("place", "aws/ap-northeast-1/apne1-az1", "type", "g3s.xlarge"));
    assertThat(priced.path("weeklyPriceChange").asDouble()).isZero();
    assertThat(priced.path("offeredShare").asDouble()).isEqualTo(1);
  }

  private JsonNode get(String what, Map<String, String> query) throws Exception {
    HttpResponse<String> response = send(what, query);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return JSON.readTree(response.body());
  }

  private int status(String what, Map<String, String> query) throws Exception {
    return send(what, query).statusCode();
  }

  private HttpResponse<String> send(String what, Map<String, String> query) throws Exception {
    StringBuilder text = new StringBuilder(what).append('?');
    query.forEach(
        (name, value) ->
            text.append(name)
                .append('=')
                .append(URLEncoder.encode(value, StandardCharsets.UTF_8))
                .append('&'));
    URI address = server.address().resolve(text.toString());
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(address).timeout(Duration.ofMinutes(2)).build(),
            HttpResponse.BodyHandlers.ofString());
  }
}

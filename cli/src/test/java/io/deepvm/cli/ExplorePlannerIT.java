package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.catalog.Catalogs;
import io.deepvm.cli.watch.PlannerSource;
import io.deepvm.page.PageKey;
import io.deepvm.page.PageServer;
import io.deepvm.page.browser.Browser;
import io.deepvm.page.explore.ExploreSite;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page of the planner in a real browser, with the real planner behind it. */
class ExplorePlannerIT {

  private static final JsonMapper JSON = new JsonMapper();
  private static final Path JOB =
      Path.of(System.getProperty("deepvm.root", "..")).resolve("examples/resnet50.yaml");
  private static final Clock DAY =
      Clock.fixed(Instant.parse("2026-09-01T12:00:00Z"), ZoneOffset.UTC);

  @TempDir static Path profile;

  private static Browser browser;
  private PageServer server;

  @BeforeAll
  static void open() throws Exception {
    assumeTrue(Browser.isHere(), "There is no chromium here.");
    browser = Browser.start(profile);
  }

  @AfterAll
  static void shut() {
    if (browser != null) {
      browser.close();
    }
  }

  @BeforeEach
  void show() throws IOException {
    server =
        PageServer.start(
            PageKey.fresh(),
            new ExploreSite(new PlannerSource(Main::run, DAY, Catalogs.DEFAULT, JOB)));
    browser.look(1200, 900, false);
    browser.open(server.address());
    browser.await("document.documentElement.dataset.answer === '1'");
    set("work", "resnet50");
    set("deadline", "24h");
    settle("--deadline 24h");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static void set(String control, String value) {
    browser.evaluate(
        "(() => { const c = document.querySelector('[name=%s]'); c.value = %s;"
                .formatted(control, Browser.quoted(value))
            + " c.dispatchEvent(new Event('input', {bubbles: true})); })()");
  }

  /** Waits until the command has a text and nothing is asked any more. */
  private static void settle(String text) {
    browser.await(
        "document.querySelector('#command').innerText.includes(%s) && !document.body.hasAttribute('aria-busy')"
            .formatted(Browser.quoted(text)));
  }

  @ParameterizedTest
  @CsvSource({
    "price, 9, --max-price-per-hour 9",
    "cost, 1.5, --max-cost 1.5",
    "deadline, 100min, --deadline 100min",
    "work, resnet18, --model resnet18",
    "gpu, L4, --gpu L4",
    "place, aws/us-*, --place 'aws/us-*'",
    "market, on-demand, --market on-demand",
    "objective, cost, --objective cost",
    "architecture, single-anchor, --architecture single-anchor",
    "confidence, 0.95, --confidence 0.95",
  })
  void everyControlChangesTheAnswerAndTheShownCommandGivesTheSame(
      String control, String value, String option) throws Exception {
    String before = browser.text("#answer") + browser.text("#answerNote") + browser.text("#plans");
    set(control, value);
    settle(option);
    String after = browser.text("#answer") + browser.text("#answerNote") + browser.text("#plans");
    assertThat(after).isNotEqualTo(before);
    assertShownCommandGivesTheAnswer();
  }

  @Test
  void theShownCommandOfAJobGivesTheSame() throws Exception {
    set("work", "job:" + JOB);
    settle("--job");
    assertShownCommandGivesTheAnswer();
  }

  private static void assertShownCommandGivesTheAnswer() throws Exception {
    List<String> typed = ShellLine.parse(browser.text("#command")).steps().get(0).words();
    List<String> words = new ArrayList<>(typed.subList(1, typed.size()));
    words.addAll(List.of("--output", "json"));
    Screen screen = Screen.run(words.toArray(new String[0]));
    if (screen.exitCode() == 3) {
      assertThat(browser.text("#answer")).isEqualTo(screen.err().lines().findFirst().orElse(""));
      return;
    }
    assertThat(screen.exitCode()).as(screen.err()).isZero();
    JsonNode plan = JSON.readTree(screen.out()).path("plans").get(0);
    assertThat(browser.text("#answer")).isEqualTo(cluster(plan));
    double perHour = plan.path("usdPerHour").asDouble();
    assertThat(browser.text("#answerNote")).contains(dollars(perHour) + " an hour");
    JsonNode simulated = plan.path("simulated");
    if (!simulated.isMissingNode()) {
      assertThat(browser.text("#answerNote"))
          .contains(
              "cost at most " + dollars(simulated.path("quantileUsd").asDouble()),
              "on average " + dollars(simulated.path("meanUsd").asDouble()));
    }
  }

  private static String dollars(double usd) {
    return String.format(Locale.ROOT, "$%.2f", usd);
  }

  private static String cluster(JsonNode plan) {
    Map<String, Integer> groups = new LinkedHashMap<>();
    List<String> places = new ArrayList<>();
    for (JsonNode node : plan.path("nodes")) {
      groups.merge(
          node.path("instanceType").asText() + " " + node.path("market").asText(),
          node.path("count").asInt(),
          Integer::sum);
      String zone = node.path("zone").isNull() ? "" : "/" + node.path("zone").asText();
      String place = node.path("cloud").asText() + "/" + node.path("region").asText() + zone;
      if (!places.contains(place)) {
        places.add(place);
      }
    }
    List<String> named = new ArrayList<>();
    groups.forEach((name, count) -> named.add(count + " × " + name));
    return String.join(" + ", named) + " in " + String.join(", ", places);
  }

  @Test
  void theMapTheMarketAndThePoliciesShowWhatIsKnown() {
    browser.await("document.documentElement.dataset.pool");
    assertThat(browser.evaluate("document.querySelectorAll('#map circle').length").asInt())
        .isGreaterThan(30);
    assertThat(browser.text("#poolNote")).contains("a spot node is lost about every");
    assertThat(browser.text("#historyNote")).contains("could be had on average", "SkyNomad");
    JsonNode rows =
        browser.evaluate(
            "[...document.querySelectorAll('#placeTable tbody tr')].map(r => r.textContent)");
    assertThat(rows.size()).isGreaterThan(30);
    browser.click("#policies");
    browser.await("Number(document.documentElement.dataset.policies) > 8");
    assertThat(new TreeSet<>(List.of(browser.text("#policyNames").split(" · ", -1))).toString())
        .contains("cost-first", "DeepVM");
  }
}

package io.deepvm.cli.chart;

import static io.deepvm.cli.chart.Runs.NO_DEADLINE;
import static io.deepvm.cli.chart.Runs.market;
import static io.deepvm.cli.chart.Runs.run;
import static io.deepvm.cli.chart.Runs.sample;
import static io.deepvm.cli.chart.Runs.scenario;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.deepvm.cli.chart.Chart.Fact;
import io.deepvm.page.browser.Browser;
import io.deepvm.page.browser.Contrast;
import io.deepvm.simulator.Recovery;
import io.deepvm.simulator.policy.OnDemandOnly;
import io.deepvm.simulator.policy.SpotOnly;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reports in a real browser, from a file, as a person opens them. */
class ReportPageIT {

  private static final String BAD = "</script><img src=x onerror=window.hurt=1>";

  @TempDir static Path profile;

  private static Browser browser;

  @TempDir Path folder;

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

  /** A report with a picture of each kind. */
  private Path report() throws IOException {
    var scenario = scenario(4, 10, NO_DEADLINE, Recovery.SURVIVORS);
    var market = market(t -> t % 40 < 30 ? 4 : 2);
    var run = run(market, scenario, new SpotOnly());
    List<TrainingChart.Step> steps = new ArrayList<>();
    for (int i = 1; i < 100; i++) {
      steps.add(new TrainingChart.Step(i, 2.3 / Math.sqrt(i), 0.2, 0.05, 0.02, 0.01));
    }
    var spot = new OutcomeChart.Entry(BAD, sample(market, scenario, SpotOnly::new, 30));
    var onDemand =
        new OutcomeChart.Entry("on-demand", sample(market, scenario, OnDemandOnly::new, 30));
    Path file = folder.resolve("report.html");
    new Page("A report " + BAD)
        .text("What was planned: " + BAD)
        .section("Training")
        .chart(
            new TrainingChart(
                steps, List.of(new TrainingChart.Members(1, 4)), List.of(30.0), 100, BAD))
        .section("The run")
        .chart(run.chart("A run " + BAD))
        .section("One policy")
        .chart(new OutcomeChart(List.of(spot), null, NO_DEADLINE, "One"))
        .section("Policies")
        .chart(new OutcomeChart(List.of(spot, onDemand), 3.0, NO_DEADLINE, "Two"))
        .section("Figures")
        .facts(List.of(new Fact("cost", "$18.77")))
        .table(List.of("", "predicted", "measured"), List.of(List.of("cost", "$1", "$1.02")))
        .write(file);
    return file;
  }

  private void show(int width, boolean dark) throws IOException {
    browser.look(width, 900, dark);
    browser.open(report().toUri());
    browser.await("document.documentElement.dataset.drawn");
  }

  @Test
  void pointingSaysValuesAndZoomingShowsAPartInAllPanels() throws Exception {
    show(1100, false);
    int panels = browser.evaluate("document.querySelectorAll('.chart .uplot').length").asInt();
    assertThat(panels).isGreaterThanOrEqualTo(9);
    browser.point("[data-chart=deepvm1] .u-over", 0.5);
    browser.await(
        "/loss:?\\s*0\\.\\d+/.test(document.querySelector('[data-chart=deepvm1]"
            + " .u-legend').innerText)");
    assertThat(browser.text("[data-chart=deepvm1] .u-legend")).containsPattern("at:?\\s*\\d+ s");
    browser.evaluate("document.querySelector('[data-chart=deepvm1] .chart').focus()");
    browser.press("+");
    browser.await("!document.querySelector('[data-zoom]').hidden");
    JsonNode ends =
        browser.evaluate("[...document.querySelectorAll('[data-chart=deepvm1] canvas')].length");
    assertThat(ends.asInt()).isEqualTo(3);
    browser.click("[data-zoom]");
    browser.await("document.querySelector('[data-zoom]').hidden");
    // The lives of nodes say what they are, by keys as well.
    browser.evaluate("document.querySelector('[data-chart=deepvm2] .chart').focus()");
    browser.press("ArrowLeft");
    for (int i = 0; i < 8 && browser.text("[data-chart=deepvm2] .readout").isEmpty(); i++) {
      browser.press("ArrowDown");
    }
    assertThat(browser.text("[data-chart=deepvm2] .readout")).contains(" · spot · lived ");
  }

  @Test
  void itRunsNoScriptButItsOwnAndLoadsNothing() throws Exception {
    int before = browser.requested().size();
    show(1100, false);
    assertThat(browser.text("h1")).isEqualTo("A report " + BAD);
    assertThat(browser.evaluate("document.querySelectorAll('img').length").asInt()).isZero();
    browser.evaluate(
        "(() => { const s = document.createElement('script'); s.textContent = 'window.hurt=1';"
            + " document.body.append(s);"
            + " fetch('http://127.0.0.1:9/').catch(() => { window.refused = 1; }); })()");
    browser.await("window.refused");
    assertThat(browser.evaluate("typeof window.hurt").asText()).isEqualTo("undefined");
    assertThat(browser.requested().subList(before, browser.requested().size()))
        .allMatch(url -> url.startsWith("file:"))
        .hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"1100, false", "1100, true", "400, false", "400, true"})
  void itIsReadableInEachLightAndWidth(int width, boolean dark) throws Exception {
    show(width, dark);
    assertThat(Contrast.tooWeak(browser)).isEmpty();
    assertThat(Contrast.tooWeakInCharts(browser)).isEmpty();
    assertThat(
            browser
                .evaluate("document.documentElement.scrollWidth <= document.body.clientWidth")
                .asBoolean())
        .isTrue();
    String paper = browser.evaluate("getComputedStyle(document.body).backgroundColor").asText();
    assertThat(paper).isEqualTo(dark ? "rgb(20, 23, 26)" : "rgb(247, 247, 245)");
  }

  @Test
  void everyAxisHasATitleAndFiguresAreRounded() throws Exception {
    show(1100, false);
    for (JsonNode chart : browser.evaluate("window.axisTitles()")) {
      assertThat(chart.path("x").asText()).isNotBlank();
      assertThat(chart.path("y").asText()).isNotBlank();
    }
    assertThat(browser.text("[data-chart=deepvm2] .panels")).containsPattern("\\$\\d+\\.\\d\\d\\b");
    assertThat(browser.text(".bars")).containsPattern("\\$\\d+\\.\\d\\d \\(\\$");
  }

  @Test
  void paperIsNeverDark() throws Exception {
    show(1100, true);
    browser.evaluate("window.dispatchEvent(new Event('beforeprint'))");
    browser.print(true);
    assertThat(browser.evaluate("getComputedStyle(document.body).backgroundColor").asText())
        .isEqualTo("rgb(255, 255, 255)");
    assertThat(Contrast.tooWeak(browser)).isEmpty();
    browser.evaluate("window.dispatchEvent(new Event('afterprint'))");
    browser.print(false);
  }
}

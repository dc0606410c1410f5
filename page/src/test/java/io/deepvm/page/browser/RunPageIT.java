package io.deepvm.page.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.deepvm.catalog.Market;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.member.Role;
import io.deepvm.page.PageKey;
import io.deepvm.page.PageServer;
import io.deepvm.page.SampleRun;
import io.deepvm.page.watch.Forecast;
import io.deepvm.page.watch.WatchSite;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page of a run in a real browser. */
class RunPageIT {

  private static final String PLACE = "aws/us-east-1/use1-az1 g5.xlarge";

  @TempDir static Path profile;

  private static Browser browser;

  @TempDir Path folder;

  private final List<Path> stopped = new ArrayList<>();
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

  private URI serve(PageKey key) throws IOException {
    server = PageServer.start(key, new WatchSite(folder, Clock.systemUTC(), stopped::add));
    return server.address().resolve("run/mine/");
  }

  @AfterEach
  void stop() {
    if (server != null) {
      server.close();
    }
  }

  private SampleRun training() throws IOException {
    return SampleRun.start(folder.resolve("mine")).rent(3, 0, PLACE).form().train(45, 2);
  }

  private void show(URI address) {
    browser.look(1200, 900, false);
    browser.open(address);
    browser.await("document.documentElement.dataset.events");
  }

  @Test
  void anEventShowsAsSoonAsItIsLogged() throws Exception {
    try (SampleRun run = training()) {
      show(serve(PageKey.fresh()));
      assertThat(browser.text("#state")).contains("training");
      assertThat(browser.text("#step")).isEqualTo("45");
      assertThat(browser.text("#nodes")).isEqualTo("3 of 3");
      // The page notes when it draws the event, on the clock that the log gets its time from.
      browser.evaluate(
          "new MutationObserver(() => { if (document.body.innerText.includes('n3 lost'))"
              + " window.seenAt ||= Date.now(); }).observe(document.body,"
              + " {childList: true, subtree: true, characterData: true})");
      run.lose("taken by the market");
      browser.await("window.seenAt");
      assertThat(browser.text("#events")).contains("n3 lost: taken by the market");
      assertThat(browser.text("#nodes")).isEqualTo("2 of 2");
      run.form();
      browser.await("document.querySelector('#generations').innerText.includes('n3 was lost')");
    }
  }

  @Test
  void thePageGoesOnAfterTheServerWasAway() throws Exception {
    try (SampleRun run = training()) {
      show(serve(PageKey.fresh()));
      browser.evaluate("window.same = true");
      PageKey key = server.key();
      server.close();
      browser.await("!document.querySelector('#lost').hidden");
      run.train(5, 2);
      serve(key);
      browser.await("document.querySelector('#step').innerText === '50'");
      browser.await("document.querySelector('#lost').hidden");
      assertThat(browser.evaluate("window.same").asBoolean()).isTrue();
      // Each event came once.
      long lines = Files.readAllLines(folder.resolve("mine/events.jsonl")).size();
      browser.await("document.documentElement.dataset.events === '%d'".formatted(lines));
    }
  }

  @Test
  void namesAndReasonsNeverBecomeMarkup() throws Exception {
    String bad = "<img src=x onerror=\"window.hurt=1\"><script>window.hurt=1</script>'\"&";
    try (SampleRun run =
        SampleRun.start(folder.resolve("mine"), bad, "https://evil.example/x.js")) {
      run.rent(2, 0, bad).form().train(3, 1);
      run.add(new Event.Rented(bad, Role.WORKER, 1, bad, Market.SPOT, 1));
      run.add(new Event.NodeTurned(bad, NodeState.FAILED, bad));
      run.add(new Event.Refused(1, Market.SPOT, 2, 1, bad));
      run.add(new Event.Saved(bad, 3, bad, bad));
      run.add(new Event.Exited("n1", 1, 1, bad));
      Files.createDirectories(folder.resolve("mine/nodes/n1"));
      Files.writeString(folder.resolve("mine/nodes/n1/out.log"), bad);
      show(serve(PageKey.fresh()));
      assertThat(browser.text("#events")).contains("<img src=x onerror=");
      browser.click("#nodeTable tbody tr button.plain");
      browser.await("!document.querySelector('#logs').hidden");
      assertThat(browser.evaluate("document.querySelectorAll('img').length").asInt()).isZero();
      assertThat(browser.evaluate("typeof window.hurt").asText()).isEqualTo("undefined");
      assertThat(browser.evaluate("document.scripts.length").asInt()).isEqualTo(2);
    }
  }

  @Test
  void theListOfRunsHasHostileNamesAsText() throws Exception {
    String bad = "<b onclick=alert(1)>&amp;";
    SampleRun.start(folder.resolve("mine")).close();
    SampleRun.start(folder.resolve(bad)).close();
    serve(PageKey.fresh());
    browser.open(server.address());
    browser.await("document.querySelectorAll('#runs tbody tr').length === 2");
    assertThat(browser.text("#runs")).contains(bad);
    browser.click("#runs tbody tr:first-child a");
    browser.await("document.documentElement.dataset.events");
    browser.await("document.querySelector('#facts').innerText.includes('Folder')");
    assertThat(browser.text("#facts")).contains(bad);
  }

  @Test
  void scriptsOfOthersAreRefusedAndNothingIsAskedElsewhere() throws Exception {
    try (SampleRun run = training()) {
      show(serve(PageKey.fresh()));
      assertThat(run.hours()).isPositive();
      browser.evaluate(
          "(() => { const s = document.createElement('div'); try { s.innerHTML ="
              + " '<img src=x onerror=window.hurt=1>'; } catch (e) { window.refused = 1; } })()");
      assertThat(browser.evaluate("window.refused").asInt()).isEqualTo(1);
      assertThat(browser.requested())
          .filteredOn(url -> url.startsWith("http"))
          .allMatch(url -> url.startsWith("http://127.0.0.1:"));
    }
  }

  @Test
  void allThatCanBeClickedIsReachedByTabAndChartsObeyKeys() throws Exception {
    try (SampleRun run = training()) {
      show(serve(PageKey.fresh()));
      assertThat(run.hours()).isPositive();
      browser.evaluate("document.activeElement.blur()");
      JsonNode wanted =
          browser.evaluate(
              "[...document.querySelectorAll('button, a[href], .chart')]"
                  + ".filter(e => e.offsetParent && !e.closest('dialog')).length");
      List<String> seen = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        browser.press("Tab");
        browser.evaluate("(() => { const e = document.activeElement; e.dataset.reached = 1; })()");
      }
      JsonNode missed =
          browser.evaluate(
              "[...document.querySelectorAll('button, a[href], .chart')]"
                  + ".filter(e => e.offsetParent && !e.closest('dialog') && !e.dataset.reached)"
                  + ".map(e => e.outerHTML.slice(0, 80))");
      missed.forEach(node -> seen.add(node.asText()));
      assertThat(seen).isEmpty();
      assertThat(wanted.asInt()).isGreaterThan(8);

      browser.evaluate("document.querySelector('#money').focus()");
      browser.press("ArrowRight");
      browser.await("!document.querySelector('#money .u-legend').innerText.includes('the end')");
      browser.press("+");
      browser.await("!document.querySelector('#all').hidden");
      browser.press("0");
      browser.await("document.querySelector('#all').hidden");
    }
  }

  @ParameterizedTest
  @CsvSource({"false, 1200", "true, 1200", "false, 400", "true, 400"})
  void wordsStandOutFromTheirBackground(boolean dark, int width) throws Exception {
    try (SampleRun run = training()) {
      run.lose("taken by the market").form().train(3, 1);
      URI address = serve(PageKey.fresh());
      browser.look(width, 900, dark);
      browser.open(address);
      browser.await("document.documentElement.dataset.events");
      assertThat(Contrast.tooWeak(browser)).isEmpty();
      // Nothing is wider than the page.
      assertThat(
              browser
                  .evaluate("document.documentElement.scrollWidth <= document.body.clientWidth")
                  .asBoolean())
          .isTrue();
    }
  }

  @Test
  void everyAxisHasATitleAndAUnit() throws Exception {
    try (SampleRun run = training()) {
      show(serve(PageKey.fresh()));
      assertThat(run.hours()).isPositive();
      JsonNode axes = browser.evaluate("window.axisTitles()");
      assertThat(axes.size()).isGreaterThanOrEqualTo(4);
      for (JsonNode chart : axes) {
        assertThat(chart.path("x").asText())
            .matches("Time since the start \\((s|min|h:min|days)\\)");
        if (!chart.path("title").asText().equals("Nodes over time")) {
          assertThat(chart.path("y").asText()).isNotBlank();
        }
      }
    }
  }

  @Test
  void stoppingAsksTwice() throws Exception {
    try (SampleRun run = training()) {
      show(serve(PageKey.fresh()));
      assertThat(run.hours()).isPositive();
      browser.click("#stop");
      browser.click("#stopYes");
      browser.await("document.querySelector('#stopText').innerText.startsWith('Really')");
      assertThat(stopped).isEmpty();
      browser.click("#stopYes");
      browser.await("document.querySelector('#stopText').innerText.includes('asked to stop')");
      assertThat(stopped).containsExactly(folder.resolve("mine").toAbsolutePath());
    }
  }

  @Test
  void theForecastIsABandAndATable() throws Exception {
    try (SampleRun run = training()) {
      Forecast.Spread all = new Forecast.Spread(1, 2, 3);
      new Forecast(
              "50 simulated runs.",
              all,
              new Forecast.Spread(100, 200, 300),
              new Forecast.Spread(0, 1, 2),
              List.of(
                  new Forecast.Moment(0, new Forecast.Spread(0, 0, 0)),
                  new Forecast.Moment(300, all)),
              4.0,
              600.0)
          .write(run.folder());
      show(serve(PageKey.fresh()));
      browser.await("!document.querySelector('#foreseenCard').hidden");
      assertThat(browser.text("#foreseen")).contains("$2.00", "$1.00 – $3.00");
      assertThat(browser.text("#money")).contains("one foreseen run in ten is below", "ceiling");
      assertThat(browser.text("#spentNote")).contains("at most $4.00");
    }
  }
}

package io.deepvm.page.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.deepvm.catalog.Market;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.member.Role;
import io.deepvm.page.PageKey;
import io.deepvm.page.PageServer;
import io.deepvm.page.SampleRun;
import io.deepvm.page.watch.Forecast;
import io.deepvm.page.watch.WatchSite;
import io.deepvm.places.aws.AwsAccess;
import io.deepvm.places.aws.AwsSettings;
import io.deepvm.places.ledger.Ceiling;
import io.deepvm.places.ssh.SshSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
  void anEventShowsWithinASecond() throws Exception {
    try (SampleRun run = SampleRun.start(folder.resolve("mine")).rent(9, 0, PLACE).form()) {
      run.train(45, 2);
      show(serve(PageKey.fresh()));
      assertThat(browser.text("#state")).contains("training");
      assertThat(browser.text("#step")).isEqualTo("45");
      assertThat(browser.text("#nodes")).isEqualTo("9 of 9");
      // A busy machine may be late once in a while, but not five times.
      List<Long> latencies = new ArrayList<>();
      for (int node = 9; node > 4 && latencies.stream().noneMatch(ms -> ms <= 1000); node--) {
        browser.evaluate(
            ("(() => { window.seenAt = 0; new MutationObserver((changes, self) => { if"
                    + " (document.querySelector('#events').innerText.includes('n%d lost')) {"
                    + " window.seenAt = Date.now(); self.disconnect(); } }).observe(document.body,"
                    + " {childList: true, subtree: true, characterData: true}); })()")
                .formatted(node));
        // The browser and this process read the same clock.
        long writtenAt = System.currentTimeMillis();
        run.lose("taken by the market");
        browser.await("window.seenAt");
        latencies.add(browser.evaluate("window.seenAt").asLong() - writtenAt);
      }
      System.out.printf("From the log to the page: %s ms%n", latencies);
      assertThat(latencies).anyMatch(ms -> ms >= 0 && ms <= 1000);
      assertThat(browser.text("#events")).contains("n9 lost: taken by the market");
      run.form();
      browser.await("document.querySelector('#generations').innerText.includes('n9 was lost')");
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

  @ParameterizedTest
  @CsvSource({"false, 1200", "true, 400"})
  void theListOfRunsStandsOut(boolean dark, int width) throws Exception {
    training().finish().close();
    SampleRun.start(folder.resolve("other")).close();
    serve(PageKey.fresh());
    browser.look(width, 900, dark);
    browser.open(server.address());
    browser.await("document.querySelectorAll('#runs tbody tr').length === 2");
    assertThat(Contrast.tooWeak(browser, 12)).isEmpty();
    assertThat(rows("#runs")).anyMatch(row -> row.startsWith("mine|") && row.contains("finished"));
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
      // Elements are marked by what the keyboard reaches alone, before anything asks the page.
      browser.evaluate(
          "document.addEventListener('focusin', e => { if (e.isTrusted) e.target.dataset.reached ="
              + " 1; })");
      for (int i = 0; i < 60; i++) {
        browser.press("Tab");
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

  @Test
  void whatIsLostIfAllNodesDiedFollowsFromTheNewestDurableStep() throws Exception {
    try (SampleRun run = training()) {
      show(serve(PageKey.fresh()));
      // Steps 41 to 45 took 10 s, in which 3 nodes for $0.90 and an anchor for $0.02 were paid.
      assertThat(browser.text("#worst")).isEqualTo("$0.0076");
      assertThat(browser.text("#worstNote")).isEqualTo("5 steps and 10 s lost");
      run.add(new Event.Saved("n1", 45, "ARCHIVED", ""));
      browser.await("document.querySelector('#safeNote').innerText.startsWith('archived')");
      run.train(15, 2).add(new Event.Saved("n1", 60, "DURABLE", ""));
      // An older archived step is not named where a newer one is durable.
      browser.await("document.querySelector('#safe').innerText === 'step 60'");
      browser.await("document.querySelector('#safeNote').innerText.startsWith('durable')");
    }
  }

  @Test
  void theTablesHaveNodesCheckpointsAndGenerations() throws Exception {
    try (SampleRun run = training()) {
      run.add(new Event.Saved("n2", 45, "STAGED", ""));
      run.add(new Event.Saved("n2", 44, "FAILED", "the disk is full"));
      show(serve(PageKey.fresh()));
      assertThat(rows("#saves"))
          .anyMatch(row -> row.startsWith("staged|in memory of a node|45|"))
          .anyMatch(row -> row.startsWith("replicated|in memory of another machine|40|"))
          .anyMatch(row -> row.matches("durable\\|.*\\|40\\|.*\\|2"))
          .anyMatch(row -> row.startsWith("failed|failed|44|"));
      assertThat(rows("#nodeTable"))
          .hasSize(3)
          .allMatch(row -> row.contains("|training|" + PLACE + "|spot|worker|$0.90/h|"));
      assertThat(rows("#generations")).containsExactly("1|30 s|3||the first nodes are ready|0|2 s");
      assertThat(rows("#events"))
          .contains("2 min|" + clock(run) + "|checkpoint of step 44 failed: the disk is full");
    }
  }

  /** Returns the time of a run as the page writes that of another day. */
  private static String clock(SampleRun run) {
    return DateTimeFormatter.ofPattern("d MMM HH:mm:ss", Locale.UK)
        .format(
            Instant.ofEpochMilli(SampleRun.START_MS + Math.round(3600e3 * run.hours()))
                .atZone(ZoneId.systemDefault()));
  }

  private static List<String> rows(String table) {
    List<String> rows = new ArrayList<>();
    browser
        .evaluate(
            ("[...document.querySelectorAll('%s tbody tr')].map(row =>"
                    + " [...row.children].map(cell => cell.textContent).join('|'))")
                .formatted(table))
        .forEach(row -> rows.add(row.asText()));
    return rows;
  }

  @Test
  void anEndThatIsNotConfirmedIsOwed() throws Exception {
    try (SampleRun run = training()) {
      run.add(new Event.NodeTurned("n3", NodeState.LOST, "its host is silent"));
      show(serve(PageKey.fresh()));
      browser.await("document.querySelector('#owed').innerText.includes('1 end is not confirmed')");
      assertThat(browser.text("#owed")).contains("n3");
      run.add(new Event.Gone("n3", "ENDED"));
      browser.await("document.querySelector('#owed').innerText === ''");
      assertThat(rows("#nodeTable")).anyMatch(row -> row.startsWith("n3|lost, gone|"));
    }
  }

  @Test
  void theCeilingAndTheLeaseOfThePlaceAreShown() throws Exception {
    try (SampleRun run = training()) {
      long until = System.currentTimeMillis() + 3_600_000;
      new AwsSettings(
              "mine",
              "somebody",
              new AwsAccess("us-east-1", Map.of(), null, null),
              List.of(),
              new AwsSettings.Login("ami-1", "ubuntu", "203.0.113.7/32"),
              new Ceiling(7_500_000, until, Ceiling.Terms.USUAL),
              3,
              SshSettings.Shipment.NONE)
          .write(run.folder());
      show(serve(PageKey.fresh()));
      browser.await("document.querySelector('#spentNote').innerText.includes('at most $7.50')");
      browser.await("document.querySelector('#money').innerText.includes('ceiling')");
      // No coordinator lives, and the log is years old in its own time.
      browser.await("document.querySelector('#nodeTable').innerText.includes('Lease left')");
      assertThat(rows("#nodeTable").get(0)).matches(".*\\$0.90/h\\|(over|\\d.*)\\|.*");
    }
  }

  @Test
  void aRunThatWasInterruptedCanStillBeStopped() throws Exception {
    try (SampleRun run = training()) {
      run.add(new Event.RunTurned(RunPhase.STOPPING, "interrupted", RunPhase.INTERRUPTED));
      run.add(new Event.RunTurned(RunPhase.INTERRUPTED, "interrupted"));
      show(serve(PageKey.fresh()));
      assertThat(browser.text("#state")).contains("interrupted");
      browser.await("!document.querySelector('#stop').hidden");
      run.add(new Event.RunTurned(RunPhase.STOPPING, "", RunPhase.STOPPED));
      run.add(new Event.RunTurned(RunPhase.STOPPED, "stopped on its page"));
      browser.await("document.querySelector('#stop').hidden");
    }
  }

  @Test
  void theLogFollowsWhileItIsWritten() throws Exception {
    try (SampleRun run = training()) {
      Path log = run.folder().resolve("nodes/n1/out.log");
      Files.createDirectories(log.getParent());
      Files.writeString(log, "first line\n");
      show(serve(PageKey.fresh()));
      browser.click("#nodeTable tbody tr button.plain");
      browser.await("document.querySelector('#logTexts').innerText.includes('first line')");
      Files.writeString(log, "second line\n", StandardOpenOption.APPEND);
      browser.await("document.querySelector('#logTexts').innerText.includes('second line')");
    }
  }

  @Test
  void redrawsLeaveFocusAndSelectionWhereTheyAre() throws Exception {
    try (SampleRun run = training()) {
      show(serve(PageKey.fresh()));
      browser.evaluate(
          "(() => { window.button = document.querySelectorAll('#nodeTable button.plain')[1];"
              + " button.focus();"
              + " getSelection().selectAllChildren(document.querySelector('#generations td'));"
              + " })()");
      String selected = browser.evaluate("getSelection().toString()").asText();
      run.train(5, 1);
      browser.await("document.querySelector('#step').innerText === '50'");
      run.lose("taken by the market");
      browser.await("document.querySelector('#nodes').innerText === '2 of 2'");
      assertThat(browser.evaluate("document.activeElement === window.button").asBoolean()).isTrue();
      assertThat(selected).isNotEmpty();
      assertThat(browser.evaluate("getSelection().toString()").asText()).isEqualTo(selected);
    }
  }

  @Test
  void pointingAtALifeOrALineSaysWhatItIs() throws Exception {
    try (SampleRun run = training()) {
      run.lose("taken by the market");
      show(serve(PageKey.fresh()));
      browser.evaluate("document.querySelector('#lives').focus()");
      browser.press("ArrowRight");
      for (int i = 0; i < 6 && browser.text("#livesReadout").isEmpty(); i++) {
        browser.press("ArrowDown");
      }
      assertThat(browser.text("#livesReadout")).matches("n\\d · .*" + PLACE + ".*\\$0.90/h.*");
      String one = browser.text("#livesReadout");
      browser.press("ArrowUp");
      browser.press("ArrowUp");
      browser.press("ArrowDown");
      browser.press("ArrowDown");
      browser.press("ArrowDown");
      assertThat(browser.text("#livesReadout")).isNotEqualTo(one);
      browser.point("#loss .u-over", 0.5);
      browser.await("/at\\s*\\S+ s/.test(document.querySelector('#loss .u-legend').innerText)");
      assertThat(browser.text("#loss .u-legend")).matches("(?s).*loss\\s*:?\\s*\\d\\.\\d+.*");
    }
  }

  @Test
  void theTimelineDrawsEachStateInItsColour() throws Exception {
    try (SampleRun run = training()) {
      run.lose("taken by the market");
      show(serve(PageKey.fresh()));
      for (String colour : List.of("green", "blue", "bad")) {
        assertThat(browser.evaluate(PIXELS.formatted(colour)).asInt()).as(colour).isPositive();
      }
    }
  }

  /** Counts the pixels of the timeline that have a colour of the page. */
  private static final String PIXELS =
      """
      (() => {
        const probe = document.createElement('i');
        probe.style.color = getComputedStyle(document.documentElement).getPropertyValue('--%s');
        document.body.append(probe);
        const [r, g, b] = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
        probe.remove();
        const canvas = document.querySelector('#lives canvas');
        const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let n = 0;
        for (let i = 0; i < data.length; i += 4) {
          if (Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 24) n++;
        }
        return n;
      })()
      """;

  @Test
  void paperIsNeverDarkAndHasTheNames() throws Exception {
    try (SampleRun run = training()) {
      URI address = serve(PageKey.fresh());
      assertThat(run.hours()).isPositive();
      browser.look(1200, 900, true);
      browser.open(address);
      browser.await("document.documentElement.dataset.events");
      assertThat(browser.evaluate(PIXELS.formatted("green")).asInt()).isPositive();
      browser.evaluate("window.dispatchEvent(new Event('beforeprint'))");
      browser.print(true);
      assertThat(browser.evaluate("getComputedStyle(document.body).backgroundColor").asText())
          .isEqualTo("rgb(255, 255, 255)");
      // The charts were drawn again in the colours of paper.
      assertThat(browser.evaluate(PIXELS.formatted("green")).asInt()).isPositive();
      assertThat(
              browser
                  .evaluate(
                      "getComputedStyle(document.documentElement).getPropertyValue('--green')")
                  .asText())
          .isEqualTo("#108a5f");
      assertThat(
              browser
                  .evaluate(
                      "document.querySelector('#nodeTable button.plain').offsetParent !== null")
                  .asBoolean())
          .isTrue();
      assertThat(browser.evaluate("document.querySelector('#stop').offsetParent").isNull())
          .isTrue();
      browser.evaluate("window.dispatchEvent(new Event('afterprint'))");
      browser.print(false);
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
      assertThat(Contrast.tooWeakInCharts(browser)).isEmpty();
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
        assertThat(chart.path("y").asText()).matches(".+ (\\(.+\\)|per second)");
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
      browser.await("document.querySelector('#stopText').innerText.includes('has stopped')");
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
              600.0)
          .write(run.folder());
      show(serve(PageKey.fresh()));
      browser.await("!document.querySelector('#foreseenCard').hidden");
      assertThat(browser.text("#foreseen")).contains("$2.00", "$1.00 – $3.00");
      assertThat(browser.text("#money")).contains("one foreseen run in ten is below");
      assertThat(browser.text("#spentNote")).contains("foreseen $1.00–$3.00");
    }
  }
}

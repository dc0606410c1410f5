package io.deepvm.page.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.deepvm.page.PageKey;
import io.deepvm.page.PageServer;
import io.deepvm.page.explore.Answer;
import io.deepvm.page.explore.ExploreSite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page of the planner in a real browser, with a planner that repeats what it is asked. */
class ExplorePageIT {

  private static final String BAD = "<img src=x onerror=window.hurt=1>";

  @TempDir static Path profile;

  private static Browser browser;

  private static final String SIMULATED =
      ",'simulated':{'runs':1000,'holds':true,'meanUsd':3,'quantileUsd':4,'medianSeconds':3600,"
          + "'missed':0.02}";

  /** Holds simulations up. */
  private volatile CountDownLatch simulation = new CountDownLatch(0);

  private final List<List<String>> asked = new CopyOnWriteArrayList<>();
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
    server = PageServer.start(PageKey.fresh(), new ExploreSite(new Repeating()));
    browser.look(1200, 900, false);
    browser.open(server.address());
    browser.await("document.documentElement.dataset.answer === '1'");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @CsvSource({
    "price, 7, --max-price-per-hour=7",
    "cost, 40, --max-cost=40",
    "deadline, 8h, --deadline=8h",
    "work, resnet50, --model=resnet50",
    "gpu, T4, --gpu=T4",
    "place, aws/us-*, --place=aws/us-*",
    "market, on-demand, --market=on-demand",
    "objective, cost, --objective=cost",
    "architecture, averaging, --architecture=averaging",
  })
  void everyControlAsksThePlannerAgain(String control, String value, String option) {
    browser.evaluate(
        "(() => { const c = document.querySelector('[name=%s]'); c.value = %s;"
                .formatted(control, Browser.quoted(value))
            + " c.dispatchEvent(new Event('input', {bubbles: true})); })()");
    browser.await("document.documentElement.dataset.answer === '2'");
    assertThat(asked.get(asked.size() - 1)).contains("plan", option);
    assertThat(browser.text("#command")).contains(option.substring(0, option.indexOf('=')));
    assertThat(browser.text("#answer")).contains(String.valueOf(asked.size()) + " × ");
  }

  private static void set(String control, String value) {
    browser.evaluate(
        "(() => { const c = document.querySelector('[name=%s]'); c.value = %s;"
                .formatted(control, Browser.quoted(value))
            + " c.dispatchEvent(new Event('input', {bubbles: true})); })()");
  }

  @Test
  void aConfidenceIsAskedForOnceThereIsSomethingToHold() {
    assertThat(browser.evaluate("document.querySelector('[name=confidence]').disabled").asBoolean())
        .isTrue();
    assertThat(browser.text("#confidenceNote")).contains("a model or job and a cost or deadline");
    set("work", "resnet50");
    set("deadline", "8h");
    browser.await("!document.querySelector('[name=confidence]').disabled");
    set("confidence", "0.95");
    browser.await("document.querySelector('#command').innerText.includes('--confidence')");
    assertThat(asked.get(asked.size() - 1)).contains("--confidence=0.95");
    assertThat(browser.text("#answerNote"))
        .contains("95 % of 1,000 simulated runs cost at most $4.00", "on average $3.00")
        .contains("2 % are late");
    assertThat(browser.text("#plans")).contains("Cost, 95 % below", "$4.00");
  }

  @Test
  void aSlowAnswerNeitherHoldsUpOthersNorOutlivesItsQuestion() {
    set("work", "resnet50");
    set("deadline", "8h");
    browser.await("!document.querySelector('[name=confidence]').disabled");
    simulation = new CountDownLatch(1);
    set("confidence", "0.8");
    browser.await("document.querySelector('#took').innerText.includes('now tried on a market')");
    browser.await("document.body.getAttribute('aria-busy') === 'true'");
    set("confidence", "");
    set("price", "9");
    // The simulation still runs, and the page has the answer to what was asked since.
    browser.await("document.querySelector('#command').innerText.includes('9 ')");
    browser.await("document.body.getAttribute('aria-busy') === null");
    set("confidence", "0.95");
    browser.await("document.querySelector('#took').innerText.includes('now tried on a market')");
    set("confidence", "0.8");
    set("price", "8");
    browser.await("document.querySelector('#command').innerText.includes('8 ')");
    simulation.countDown();
    browser.await("document.querySelector('#command').innerText.includes('--confidence 0.8')");
    // The question in between was replaced while it waited, and is never simulated.
    assertThat(asked).noneMatch(words -> words.contains("--confidence=0.95"));
  }

  @Test
  void theCommandIsCopied() {
    browser.command(
        "Browser.grantPermissions",
        "permissions",
        List.of("clipboardReadWrite", "clipboardSanitizedWrite"));
    browser.click("#copy");
    browser.await("document.querySelector('#copy').innerText === 'Copied'");
    assertThat(browser.evaluate("navigator.clipboard.readText()").asText())
        .isEqualTo(browser.text("#command"))
        .startsWith("deepvm plan --max-price-per-hour 3");
  }

  @Test
  void theMapNamesARegionAndPlansThere() {
    browser.await("document.querySelector('#map circle')");
    assertThat(browser.evaluate("document.querySelectorAll('#map polygon').length").asInt())
        .isGreaterThan(5);
    browser.evaluate("document.querySelector('#map circle').focus()");
    assertThat(browser.text("#mapReadout"))
        .contains("aws/us-east-1", BAD, "lost about every 2 h", "recorded there");
    browser.press("Enter");
    browser.await("document.querySelector('[name=place]').value === 'aws/us-east-1'");
    browser.await("document.querySelector('#command').innerText.includes('--place')");
    assertThat(browser.evaluate("typeof window.hurt").asText()).isEqualTo("undefined");
  }

  @Test
  void thePoolOfThePlanHasItsRecord() {
    browser.await("document.documentElement.dataset.pool");
    assertThat(browser.text("#poolNote")).contains("aws/us-east-1 " + BAD, "lost about every 3 h");
    assertThat(browser.text("#pool")).contains(BAD);
    assertThat(browser.text("#historyNote")).contains("Of 4 nodes asked for");
    assertThat(browser.evaluate("typeof window.hurt").asText()).isEqualTo("undefined");
  }

  @Test
  void thePoliciesLieOverTheFrontWhateverIsTrained() {
    set("work", "resnet50");
    browser.click("#policies");
    browser.await("document.documentElement.dataset.policies === '1'");
    assertThat(browser.text("#policyNames")).contains("A cost-first", "FLOPS");
    browser.evaluate("document.querySelector('#front').focus()");
    browser.press("ArrowLeft");
    for (int i = 0; i < 80 && !browser.text("#frontReadout").contains("cost-first"); i++) {
      browser.press("ArrowRight");
    }
    assertThat(browser.text("#frontReadout")).contains("cost-first: " + BAD);
  }

  @Test
  void namesNeverBecomeMarkupAndPointsSayWhatTheyAre() {
    assertThat(browser.text("#answer")).contains(BAD);
    assertThat(browser.evaluate("document.querySelectorAll('img').length").asInt()).isZero();
    assertThat(browser.evaluate("typeof window.hurt").asText()).isEqualTo("undefined");
    browser.evaluate("document.querySelector('#front').focus()");
    browser.press("ArrowRight");
    browser.await("document.querySelector('#frontReadout').innerText.includes('/h')");
    assertThat(browser.text("#frontReadout")).contains(BAD);
  }

  @ParameterizedTest
  @CsvSource({"false, 1200", "true, 1200", "true, 400", "false, 400"})
  void wordsStandOutAndNothingIsTooWide(boolean dark, int width) {
    browser.look(width, 900, dark);
    assertThat(Contrast.tooWeak(browser)).isEmpty();
    assertThat(
            browser
                .evaluate("document.documentElement.scrollWidth <= document.body.clientWidth")
                .asBoolean())
        .isTrue();
  }

  private final class Repeating implements ExploreSite.Source {

    @Override
    public Answer run(List<String> words) {
      boolean simulates = words.stream().anyMatch(word -> word.startsWith("--confidence"));
      if (simulates) {
        try {
          simulation.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      asked.add(words);
      if (words.get(0).equals("compare")) {
        return new Answer(
            0,
            ("{'rows':[{'budgetUsdPerHour':1,'policy':'cost-first','architecture':'tiering',"
                    + "'cluster':'%s','usdPerHour':2.5,'speedup':5e12}]}")
                .formatted(BAD)
                .replace('\'', '"'),
            "");
      }
      String plan =
          ("{'rank':1,'architecture':'tiering','nodes':[{'role':'worker','cloud':'aws','region':'us-east-1',"
                  + "'zone':null,'instanceType':'%s','market':'spot','count':%d,'usdPerHour':0.5}],"
                  + "'usdPerHour':%d.5,'predicted':{'speedup':2,'flops':1e13,'samplesPerSecond':null,"
                  + "'seconds':null,'usd':null},'why':['%s']%s}")
              .formatted(BAD, asked.size(), 1, BAD, simulates ? SIMULATED : "")
              .replace('\'', '"');
      return new Answer(
          0, "{\"plans\":[%s],\"notes\":[],\"paretoFront\":[%s]}".formatted(plan, plan), "");
    }

    @Override
    public Object choices() {
      return Map.of(
          "gpus", List.of("T4"),
          "places", List.of("aws"),
          "models", List.of("resnet50"),
          "job", "",
          "catalog", "",
          "traces", List.of("one"),
          "source", "a test");
    }

    @Override
    public Object places(String gpu) {
      return List.of(
          Map.of(
              "cloud",
              "aws",
              "region",
              "us-east-1",
              "hoursPerLoss",
              2,
              "lossesOf",
              "POOL",
              "spot",
              0.1,
              "spotType",
              BAD,
              "onDemand",
              0.5));
    }

    @Override
    public Object pool(String place, String instanceType) {
      return Map.of(
          "pool",
          place + " " + instanceType,
          "trace",
          "one",
          "recorded",
          BAD,
          "lossesOf",
          "BORROWED",
          "recordedType",
          BAD,
          "hoursPerLoss",
          3.3);
    }

    @Override
    public Object history(String trace) {
      return Map.of(
          "name", "one",
          "source", "a test",
          "pools",
              List.of(
                  Map.of(
                      "pool",
                      BAD,
                      "tickSeconds",
                      600,
                      "asked",
                      4,
                      "available",
                      List.of(4, 3, 4, -1, 2),
                      "price",
                      List.of(1.0, 1.1, 1.0, 1.0, 1.2))));
    }
  }
}

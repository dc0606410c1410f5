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
    "confidence, 0.95, --confidence=0.95",
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
      asked.add(words);
      String plan =
          ("{'rank':1,'architecture':'tiering','nodes':[{'role':'worker','cloud':'aws','region':'us-east-1',"
                  + "'zone':null,'instanceType':'%s','market':'spot','count':%d,'usdPerHour':0.5}],"
                  + "'usdPerHour':%d.5,'predicted':{'speedup':2,'flops':1e13,'samplesPerSecond':null,"
                  + "'seconds':null,'usd':null},'why':['%s']}")
              .formatted(BAD, asked.size(), 1, BAD)
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
              "spot",
              0.1,
              "spotType",
              BAD,
              "onDemand",
              0.5));
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

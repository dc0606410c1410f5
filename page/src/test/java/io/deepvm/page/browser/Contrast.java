package io.deepvm.page.browser;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** Measures how much the words of a page stand out, by the rule of WCAG 2.1 (level AA). */
public final class Contrast {

  private static final double LEAST = 4.5;

  /** For what is no text, such as a line. */
  private static final double LEAST_IN_CHARTS = 3;

  private static final String COLOUR =
      "(() => { const i = document.createElement('i'); document.body.append(i);"
          + " i.style.color = 'var(--%s)'; const c = getComputedStyle(i).color; i.remove();"
          + " return c; })()";

  /** Returns each visible text with its colour and the first opaque colour behind it. */
  private static final String TEXTS =
      """
      [...document.querySelectorAll('body *')].filter(e => e.offsetParent && e.closest('[hidden]') === null
          && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())).map(e => {
        let behind = e;
        while (behind && /rgba\\(.*, 0\\)|transparent/.test(getComputedStyle(behind).backgroundColor))
          behind = behind.parentElement;
        return [e.textContent.trim().slice(0, 40), getComputedStyle(e).color,
          behind ? getComputedStyle(behind).backgroundColor : 'rgb(255, 255, 255)'];
      })
      """;

  private Contrast() {}

  /** Returns the texts that stand out too little. */
  public static List<String> tooWeak(Browser browser) {
    return tooWeak(browser, 20);
  }

  /** Returns the texts of a page with at least so many that stand out too little. */
  public static List<String> tooWeak(Browser browser, int least) {
    JsonNode texts = browser.evaluate(TEXTS);
    List<String> weak = new ArrayList<>();
    for (JsonNode text : texts) {
      double ratio = ratio(text.get(1).asText(), text.get(2).asText());
      if (ratio < LEAST) {
        weak.add("%s: %.2f %s".formatted(text.get(0).asText(), ratio, text));
      }
    }
    if (texts.size() < least) {
      weak.add("The page has %d texts only.".formatted(texts.size()));
    }
    return weak;
  }

  /** Returns the colours of lines and bars that stand out too little from a card. */
  public static List<String> tooWeakInCharts(Browser browser) {
    List<String> weak = new ArrayList<>();
    String behind = browser.evaluate(COLOUR.formatted("card")).asText();
    for (String name : List.of("blue", "orange", "green", "purple", "grey", "bad", "accent")) {
      double ratio = ratio(browser.evaluate(COLOUR.formatted(name)).asText(), behind);
      if (ratio < LEAST_IN_CHARTS) {
        weak.add("%s: %.2f".formatted(name, ratio));
      }
    }
    double words = ratio(browser.evaluate(COLOUR.formatted("soft")).asText(), behind);
    if (words < LEAST) {
      weak.add("words on axes: %.2f".formatted(words));
    }
    return weak;
  }

  private static double ratio(String one, String other) {
    double a = luminance(one);
    double b = luminance(other);
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }

  private static double luminance(String colour) {
    String[] parts = colour.replaceAll("[^0-9.,]", "").split(",", -1);
    return 0.2126 * linear(parts[0]) + 0.7152 * linear(parts[1]) + 0.0722 * linear(parts[2]);
  }

  private static double linear(String part) {
    double value = Double.parseDouble(part) / 255;
    return value <= 0.03928 ? value / 12.92 : Math.pow((value + 0.055) / 1.055, 2.4);
  }
}

package io.deepvm.page.explore;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.deepvm.base.BadInput;
import io.deepvm.page.PageRequest;
import io.deepvm.page.PageSite;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The planner as a page. Each answer is that of the command that the page shows: the same words,
 * the same code.
 */
public final class ExploreSite implements PageSite {

  private static final JsonMapper JSON = new JsonMapper();
  private static final int MOST_KEPT = 200;
  private static final double LEAST_PRICE = 0.1;
  private static final double MOST_PRICE = 1000;
  private static final int PRICES = 8;

  private final Source source;

  /** The newest answers; the same question has the same answer while the page is served. */
  private final Map<List<String>, JsonNode> kept =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<List<String>, JsonNode> eldest) {
          return size() > MOST_KEPT;
        }
      };

  /** Where the page gets its answers from; all of them are values of JSON. */
  public interface Source {
    /** Runs a deepvm command. */
    Answer run(List<String> words);

    /** Returns what the controls offer. */
    Object choices();

    /** Returns the regions that offer a GPU, with their lowest prices. */
    Object places(String gpu);

    /** Returns the nodes and prices of a recorded market over time. */
    Object history(String trace);
  }

  /** Makes the page. */
  public ExploreSite(Source source) {
    this.source = source;
  }

  @Override
  public void answer(PageRequest request) throws IOException {
    String what = request.takeSegment();
    switch (what) {
      case "" -> request.sendFile("explore.html");
      case "files" -> request.sendFile(request.takeSegment());
      case "choices" -> request.sendJson(source.choices());
      case "plan" -> request.sendJson(plan(Question.of(request.query())));
      case "policies" -> request.sendJson(policies(request.query()));
      case "places" -> request.sendJson(source.places(request.query().getOrDefault("gpu", "")));
      case "history" -> request.sendJson(source.history(request.query().getOrDefault("trace", "")));
      default -> throw new NoSuchPage("page '%s'".formatted(what));
    }
  }

  /** Returns the answer to a question, with the command that gives it. */
  private JsonNode plan(Question question) throws IOException {
    ObjectNode answer = asked(question.words("plan", "--output=json", "--top=3")).deepCopy();
    return answer.put("command", question.line());
  }

  /** Returns what the paper's policies rent for some prices per hour. */
  private JsonNode policies(Map<String, String> query) throws IOException {
    double most = price(query.getOrDefault("to", "10"));
    String catalog = query.getOrDefault("catalog", "");
    Question question = Question.of(catalog.isEmpty() ? Map.of() : Map.of("catalog", catalog));
    return asked(
        question.words(
            "compare",
            "--from=" + most / PRICES,
            "--to=" + most,
            "--step=" + most / PRICES,
            "--output=json"));
  }

  private static double price(String text) {
    try {
      return Math.min(MOST_PRICE, Math.max(LEAST_PRICE, Double.parseDouble(text)));
    } catch (NumberFormatException e) {
      throw new BadInput("'%s' is no price.".formatted(text), "Maybe write 3 or 4.50.");
    }
  }

  /**
   * Runs a command, unless its answer is kept. Others wait: the planner takes a core for itself.
   */
  private synchronized ObjectNode asked(List<String> words) throws IOException {
    JsonNode known = kept.get(words);
    if (known == null) {
      long start = System.nanoTime();
      Answer answer = source.run(words);
      ObjectNode fresh = JSON.createObjectNode();
      fresh.put("exit", answer.exit()).put("messages", answer.err());
      fresh.put("milliseconds", (System.nanoTime() - start) / 1_000_000);
      fresh.set("answer", answer.out().isBlank() ? null : JSON.readTree(answer.out()));
      kept.put(words, fresh);
      known = fresh;
    }
    return (ObjectNode) known;
  }
}

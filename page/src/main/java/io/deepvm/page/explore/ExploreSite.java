package io.deepvm.page.explore;

import com.fasterxml.jackson.databind.JsonNode;
import io.deepvm.base.BadInput;
import io.deepvm.page.PageRequest;
import io.deepvm.page.PageSite;
import io.deepvm.page.explore.Answers.Replaced;
import io.deepvm.page.explore.Answers.Ticket;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The planner as a page. Each answer is that of the command that the page shows: the same words,
 * the same code.
 */
public final class ExploreSite implements PageSite {

  private static final double LEAST_PRICE = 0.1;
  private static final double MOST_PRICE = 1000;
  private static final int PRICES = 8;
  private static final int LONGEST_PAGE = 64;

  /** Simulations leave a core to other answers. */
  private static final int THREADS = Math.max(1, Runtime.getRuntime().availableProcessors() - 1);

  private final Source source;
  private final Answers answers;

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

    /**
     * Returns which record describes a pool, how often nodes are lost there, and how steady its
     * price is.
     *
     * @param place such as aws/us-east-1/use1-az1
     */
    Object pool(String place, String instanceType);
  }

  /** Makes the page. */
  public ExploreSite(Source source) {
    this.source = source;
    this.answers = new Answers(source);
  }

  @Override
  public void answer(PageRequest request) throws IOException {
    String what = request.takeSegment();
    switch (what) {
      case "" -> request.sendFile("explore.html");
      case "files" -> request.sendFile(request.takeSegment());
      case "choices" -> request.sendJson(source.choices());
      case "plan" -> answer(request, this::plan);
      case "policies" -> answer(request, this::policies);
      case "places" -> request.sendJson(source.places(request.query().getOrDefault("gpu", "")));
      case "history" -> request.sendJson(source.history(request.query().getOrDefault("trace", "")));
      case "pool" ->
          request.sendJson(
              source.pool(
                  request.query().getOrDefault("place", ""),
                  request.query().getOrDefault("type", "")));
      default -> throw new NoSuchPage("page '%s'".formatted(what));
    }
  }

  /** What answers a question of a page by a command. */
  @FunctionalInterface
  private interface Command {
    JsonNode answer(Map<String, String> query, Ticket ticket) throws IOException, Replaced;
  }

  private static void answer(PageRequest request, Command command) throws IOException {
    Map<String, String> query = new LinkedHashMap<>(request.query());
    String page = Objects.requireNonNullElse(query.remove("page"), "");
    String number = Objects.requireNonNullElse(query.remove("number"), "");
    Ticket ticket =
        new Ticket(
            page.length() > LONGEST_PAGE ? "" : page,
            number.matches("[0-9]{1,15}") ? Long.parseLong(number) : 0);
    try {
      request.sendJson(command.answer(query, ticket));
    } catch (Replaced e) {
      request.sendJson(Map.of("replaced", true));
    }
  }

  /** Returns the answer to a question, with the command that gives it. */
  private JsonNode plan(Map<String, String> query, Ticket ticket) throws IOException, Replaced {
    Question question = Question.of(query);
    List<String> words = question.words("plan", "--output=json", "--top=3");
    if (question.simulates()) {
      words.add("--threads=" + THREADS);
    }
    return answers.of(words, question.simulates(), ticket).put("command", question.line());
  }

  /** Returns what the paper's policies rent for some prices per hour. */
  private JsonNode policies(Map<String, String> query, Ticket ticket) throws IOException, Replaced {
    double most = price(query.getOrDefault("to", "10"));
    String catalog = query.getOrDefault("catalog", "");
    Question question = Question.of(catalog.isEmpty() ? Map.of() : Map.of("catalog", catalog));
    return answers.of(
        question.words(
            "compare",
            "--from=" + most / PRICES,
            "--to=" + most,
            "--step=" + most / PRICES,
            "--output=json"),
        false,
        new Ticket("policies of " + ticket.page(), ticket.number()));
  }

  private static double price(String text) {
    try {
      return Math.min(MOST_PRICE, Math.max(LEAST_PRICE, Double.parseDouble(text)));
    } catch (NumberFormatException e) {
      throw new BadInput("'%s' is no price.".formatted(text), "Maybe write 3 or 4.50.");
    }
  }
}

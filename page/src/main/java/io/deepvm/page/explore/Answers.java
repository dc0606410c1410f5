package io.deepvm.page.explore;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The answers of commands. The same question has the same answer while the page is served. Commands
 * that simulate wait for each other, and so do the others: a quick one never waits for a slow one.
 */
final class Answers {

  private static final JsonMapper JSON = new JsonMapper();
  private static final int MOST_KEPT = 200;
  private static final int MOST_PAGES = 100;

  private final ExploreSite.Source source;
  private final ReentrantLock quick = new ReentrantLock(true);
  private final ReentrantLock slow = new ReentrantLock(true);

  private final Map<List<String>, JsonNode> kept = newest(MOST_KEPT);

  /** The newest question of each open page. */
  private final Map<String, Long> asked = newest(MOST_PAGES);

  /**
   * Which question of which page this is. A page wants the answer to its newest question only.
   *
   * @param number grows with each question of a page; 0 if the page does not count
   */
  record Ticket(String page, long number) {}

  /** The page has asked another question meanwhile. */
  static final class Replaced extends Exception {
    private static final long serialVersionUID = 1;
  }

  Answers(ExploreSite.Source source) {
    this.source = source;
  }

  private static <K, V> Map<K, V> newest(int most) {
    return Collections.synchronizedMap(
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1;

          @Override
          protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > most;
          }
        });
  }

  /**
   * Returns the answer of a command.
   *
   * @param simulates whether it takes seconds
   */
  ObjectNode of(List<String> words, boolean simulates, Ticket ticket) throws IOException, Replaced {
    asked.merge(ticket.page(), ticket.number(), Math::max);
    JsonNode known = kept.get(words);
    if (known == null) {
      ReentrantLock lane = simulates ? slow : quick;
      lane.lock();
      try {
        known = kept.get(words);
        if (known == null) {
          if (ticket.number() < asked.getOrDefault(ticket.page(), 0L)) {
            throw new Replaced();
          }
          known = made(words);
          kept.put(words, known);
        }
      } finally {
        lane.unlock();
      }
    }
    return ((ObjectNode) known).deepCopy();
  }

  private ObjectNode made(List<String> words) throws IOException {
    long start = System.nanoTime();
    Answer answer = source.run(words);
    ObjectNode fresh = JSON.createObjectNode();
    fresh.put("exit", answer.exit()).put("messages", answer.err());
    fresh.put("milliseconds", (System.nanoTime() - start) / 1_000_000);
    fresh.set("answer", answer.out().isBlank() ? null : JSON.readTree(answer.out()));
    return fresh;
  }
}

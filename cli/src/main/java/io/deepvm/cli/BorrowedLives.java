package io.deepvm.cli;

import io.deepvm.market.Pool;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A pool without a trace of its own, whose nodes are taken to live like those of another pool.
 *
 * @param like the recorded pool
 * @param source name of the record
 */
record BorrowedLives(Pool pool, Pool like, String source) {

  /** The most pools that a note names. */
  private static final int NAMED = 3;

  /** Returns one note for each recorded pool, however many pools borrow from it. */
  static List<String> notes(Collection<BorrowedLives> borrowed) {
    Map<String, Set<String>> byModel = new LinkedHashMap<>();
    for (BorrowedLives each : borrowed) {
      byModel
          .computeIfAbsent(each.like() + " in " + each.source(), model -> new LinkedHashSet<>())
          .add(each.pool().toString());
    }
    return byModel.entrySet().stream().map(e -> note(e.getValue(), e.getKey())).toList();
  }

  private static String note(Set<String> pools, String model) {
    String names = pools.stream().limit(NAMED).collect(Collectors.joining(", "));
    if (pools.size() == 1) {
      return "No trace of %s is at hand: its nodes are taken to come and go like those of %s."
          .formatted(names, model);
    }
    int more = pools.size() - NAMED;
    return "No trace of %d pools (%s%s) is at hand: their nodes are taken to come and go like those of %s."
        .formatted(pools.size(), names, more > 0 ? " and %d more".formatted(more) : "", model);
  }
}

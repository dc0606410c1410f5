package io.deepvm.cli.print;

import io.deepvm.market.Pool;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The losses of pools without a trace, taken from recorded pools.
 *
 * @param source the name of the record
 * @param borrowers the plan's pools that no trace is of
 * @param lenders the recorded pools; each run lives with the losses of one of them
 */
public record BorrowedLosses(String source, List<Pool> borrowers, List<Pool> lenders) {

  public BorrowedLosses {
    borrowers = List.copyOf(borrowers);
    lenders = List.copyOf(lenders);
  }

  /** The most pools that a note names. */
  private static final int NAMED = 3;

  /** Returns one note for each set of lenders, however many pools borrow from it. */
  public static List<String> notes(Collection<BorrowedLosses> all) {
    Map<String, Set<String>> byLender = new LinkedHashMap<>();
    for (BorrowedLosses each : all) {
      Set<String> pools = byLender.computeIfAbsent(each.lender(), l -> new LinkedHashSet<>());
      each.borrowers.forEach(pool -> pools.add(pool.toString()));
    }
    return byLender.entrySet().stream().map(e -> note(e.getValue(), e.getKey())).toList();
  }

  private static String note(Set<String> pools, String lender) {
    String names = pools.stream().limit(NAMED).collect(Collectors.joining(", "));
    int more = pools.size() - NAMED;
    return "No trace of %s is at hand: losses are borrowed from %s."
        .formatted(
            pools.size() == 1
                ? names
                : "%d pools (%s%s)"
                    .formatted(pools.size(), names, more > 0 ? " and %d more".formatted(more) : ""),
            lender);
  }

  /** Returns the warning before a single run, which lives with the losses of the first lender. */
  public String ofOneRun() {
    return "No trace of %s is at hand: its nodes come and go like those of %s in %s."
        .formatted(types(borrowers), lenders.get(0), source);
  }

  /** Returns the warning that belongs to every headline. */
  String warning() {
    return "Borrowed losses: no trace of %s is at hand; each run lives with those of %s, one zone at a time, and the range covers all zones."
        .formatted(types(borrowers), lender());
  }

  private String lender() {
    return "%s in %s (%s)"
        .formatted(
            types(lenders), lenders.size() == 1 ? "1 zone" : lenders.size() + " zones", source);
  }

  private static String types(List<Pool> pools) {
    return pools.stream().map(Pool::instanceType).distinct().collect(Collectors.joining(", "));
  }

  /** Writes the pools under the key "borrowedLosses". */
  void json(Json json) throws IOException {
    json.object(
        "borrowedLosses",
        b -> {
          b.put("source", source);
          b.texts("borrowers", borrowers.stream().map(Pool::toString).toList());
          b.texts("lenders", lenders.stream().map(Pool::toString).toList());
        });
  }
}

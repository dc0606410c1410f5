package io.deepvm.market;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import io.deepvm.catalog.PlaceFilter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The traces of one file or folder, as they were recorded: with gaps, and each on a clock of its
 * own.
 *
 * @param source where they come from, for people to read
 * @param licence under which terms; empty where the source does not say
 * @param prices of each pool as they were recorded, also where the traces have longer ticks
 * @param assumptions what the reader had to assume, one sentence each
 */
public record Recording(
    String name,
    String source,
    String licence,
    List<Trace> traces,
    List<PriceCourse> prices,
    List<String> assumptions) {

  /** Makes a recording whose traces have all prices that were recorded. */
  public Recording(
      String name, String source, String licence, List<Trace> traces, List<String> assumptions) {
    this(name, source, licence, traces, traces.stream().map(PriceCourse::of).toList(), assumptions);
  }

  public Recording {
    traces = List.copyOf(traces);
    prices = List.copyOf(prices);
    assumptions = List.copyOf(assumptions);
    if (traces.isEmpty()) {
      throw new BadInput("%s holds no traces.".formatted(name), "Maybe the file was cut short.");
    }
    Set<Pool> pools = new HashSet<>();
    for (Trace trace : traces) {
      if (!pools.add(trace.pool())) {
        throw new BadInput(
            "%s holds two traces of %s.".formatted(name, trace.pool()),
            "Maybe one of them is an older copy.");
      }
    }
  }

  /**
   * Returns the same recording with other traces, such as aligned ones; prices stay as recorded.
   */
  public Recording with(List<Trace> others) {
    return new Recording(name, source, licence, others, prices, assumptions);
  }

  /** Returns the traces in these places, in the order of the places; each must have one. */
  public List<Trace> in(List<PlaceFilter> places) {
    List<Trace> found = new ArrayList<>();
    for (PlaceFilter filter : places) {
      List<Trace> there = traces.stream().filter(t -> filter.matches(t.pool().place())).toList();
      if (there.isEmpty()) {
        throw new BadInput(
            "The market '%s' has nothing in '%s'.".formatted(name, filter.pattern()),
            Suggestion.maybe(
                filter.pattern(),
                traces.stream().map(t -> t.pool().place().toString()).toList(),
                "Maybe see 'deepvm market stats' for its places."));
      }
      found.addAll(there);
    }
    return found;
  }

  /** Returns the market of the traces: aligned on the coarsest tick among them, gaps filled. */
  public SpotMarket market(GapRule gaps) {
    return SpotMarket.of(
        Alignment.onOneClock(traces, null).stream().map(trace -> trace.filled(gaps)).toList());
  }
}

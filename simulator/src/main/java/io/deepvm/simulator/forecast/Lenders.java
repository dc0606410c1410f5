package io.deepvm.simulator.forecast;

import io.deepvm.market.Trace;
import io.deepvm.market.survival.Lifetimes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Chooses the recorded pools that a pool without a record may be like. */
public final class Lenders {

  /** The share of pools that is left out at each end, by how often nodes could be had. */
  private static final double EXTREME = 0.1;

  private Lenders() {}

  /** Returns the recorded pools without the extreme ones, the one in the middle first. */
  public static List<Trace> of(List<Trace> traces) {
    List<Trace> sorted =
        traces.stream()
            .filter(Lenders::changes)
            .sorted(Comparator.comparingDouble(Lenders::upShare))
            .toList();
    if (sorted.isEmpty()) {
      return List.of(traces.get(0));
    }
    int left = (int) (EXTREME * sorted.size());
    List<Trace> usual = new ArrayList<>(sorted.subList(left, sorted.size() - left));
    Trace middle = usual.remove(usual.size() / 2);
    usual.add(0, middle);
    return usual;
  }

  /** Whether nodes were seen to be lost and to come back: else there is nothing to learn. */
  private static boolean changes(Trace trace) {
    return Lifetimes.up(trace).ends() > 0 && Lifetimes.down(trace).ends() > 0;
  }

  private static double upShare(Trace trace) {
    return Arrays.stream(trace.available()).average().orElse(0) / trace.asked();
  }
}

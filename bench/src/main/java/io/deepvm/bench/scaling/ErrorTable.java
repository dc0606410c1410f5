package io.deepvm.bench.scaling;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** Relative errors of step times or speeds, and of one simpler way to predict the same. */
final class ErrorTable {

  private final List<Double> ours = new ArrayList<>();
  private final List<Double> simple = new ArrayList<>();

  void add(double measured, double predicted, double simply) {
    ours.add(Math.abs(predicted / measured - 1));
    simple.add(Math.abs(simply / measured - 1));
  }

  int size() {
    return ours.size();
  }

  double median() {
    return quantile(ours, 0.5);
  }

  double mean() {
    return ours.stream().mapToDouble(error -> error).average().orElse(0);
  }

  double ninthDecile() {
    return quantile(ours, 0.9);
  }

  static String header() {
    return String.format(
        Locale.ROOT,
        "%-44s %6s %8s %8s %8s  %s",
        "cases",
        "n",
        "median",
        "mean",
        "p90",
        "median, simply");
  }

  String line(String name) {
    return ours.isEmpty()
        ? name + ": the reference rows are not at hand"
        : String.format(
            Locale.ROOT,
            "%-44s %6d %7.1f%% %7.1f%% %7.1f%%  %7.1f%%",
            name,
            ours.size(),
            100 * median(),
            100 * mean(),
            100 * ninthDecile(),
            100 * quantile(simple, 0.5));
  }

  private static double quantile(List<Double> errors, double share) {
    List<Double> sorted = new ArrayList<>(errors);
    Collections.sort(sorted);
    return sorted.get((int) Math.min(sorted.size() - 1, Math.floor(share * sorted.size())));
  }
}

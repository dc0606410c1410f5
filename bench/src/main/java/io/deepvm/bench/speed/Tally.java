package io.deepvm.bench.speed;

import java.util.ArrayList;
import java.util.List;

/** Errors of step times: predicted over measured, of several ways to predict. */
final class Tally {

  /** Two speeds that are nearer than this are told apart by their noise. */
  private static final double DIFFERENT = 1.05;

  private final List<Double> ours = new ArrayList<>();
  private final List<Double> flops = new ArrayList<>();
  private final List<Double> nearest = new ArrayList<>();
  private int within;
  private int compared;
  private int wrong;
  private int wrongByFlops;
  private int different;
  private int wrongOfDifferent;

  /** Adds the errors of one prediction of samples per second. */
  void add(double measured, double predicted, double byFlops, double byNearest, boolean inside) {
    ours.add(Math.abs(measured / predicted - 1));
    flops.add(Math.abs(measured / byFlops - 1));
    nearest.add(Math.abs(measured / byNearest - 1));
    within += inside ? 1 : 0;
  }

  /** Adds the question which of two GPUs is faster, one of which is known. */
  void compare(double known, double measured, double predicted, double byFlops) {
    boolean faster = measured > known;
    compared++;
    wrong += predicted > known != faster ? 1 : 0;
    wrongByFlops += byFlops > known != faster ? 1 : 0;
    if (Math.max(known / measured, measured / known) > DIFFERENT) {
      different++;
      wrongOfDifferent += predicted > known != faster ? 1 : 0;
    }
  }

  void addAll(Tally other) {
    ours.addAll(other.ours);
    flops.addAll(other.flops);
    nearest.addAll(other.nearest);
    within += other.within;
    compared += other.compared;
    wrong += other.wrong;
    wrongByFlops += other.wrongByFlops;
    different += other.different;
    wrongOfDifferent += other.wrongOfDifferent;
  }

  boolean isEmpty() {
    return ours.isEmpty();
  }

  static String header() {
    return "%-18s %6s  %6s %6s  %6s %8s  %7s  %7s %7s %7s"
        .formatted(
            "source", "cases", "ours", "median", "FLOPS", "nearest", "inside", "wrong", "> 5 %",
            "FLOPS");
  }

  String line(String name) {
    return "%-18s %6d  %5.1f%% %5.1f%%  %5.1f%% %7.1f%%  %6.1f%%  %s"
        .formatted(
            name,
            ours.size(),
            mean(ours),
            median(ours),
            mean(flops),
            mean(nearest),
            100.0 * within / ours.size(),
            compared == 0
                ? ""
                : "%6.1f%% %6.1f%% %6.1f%%"
                    .formatted(
                        100.0 * wrong / compared,
                        different == 0 ? 0 : 100.0 * wrongOfDifferent / different,
                        100.0 * wrongByFlops / compared));
  }

  private static double mean(List<Double> errors) {
    return 100 * errors.stream().mapToDouble(e -> e).average().orElse(0);
  }

  private static double median(List<Double> errors) {
    return 100 * errors.stream().sorted().skip(errors.size() / 2).findFirst().orElse(0.0);
  }
}

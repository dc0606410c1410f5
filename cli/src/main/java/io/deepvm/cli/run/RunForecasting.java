package io.deepvm.cli.run;

import io.deepvm.base.DaemonThreads;
import io.deepvm.page.watch.Forecast;
import io.deepvm.page.watch.Forecast.Moment;
import io.deepvm.page.watch.Forecast.Spread;
import io.deepvm.simulator.Outcome;
import io.deepvm.simulator.Timeline;
import io.deepvm.simulator.Timeline.Spent;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Simulates a run some times beside its start, and keeps what was foreseen in its folder. */
record RunForecasting(Path folder, LocalStage local, long seed) {

  private static final int RUNS = 40;
  private static final int MOMENTS = 80;
  private static final double LOW = 0.1;
  private static final double MIDDLE = 0.5;
  private static final double HIGH = 0.9;

  /** A run whose forecast nobody watches yet is on its way before it is simulated. */
  static final Duration LATER = Duration.ofSeconds(20);

  /**
   * A simulated run.
   *
   * @param spent the dollars that were spent at some moments, in the order of time
   */
  record Foreseen(Outcome outcome, List<Spent> spent) {
    /** Returns the dollars spent at a moment. */
    double usd(double atSeconds) {
      double usd = 0;
      for (Spent point : spent) {
        if (point.at() > atSeconds) {
          break;
        }
        usd = point.usd();
      }
      return atSeconds >= outcome.seconds() ? outcome.cost().dollars() : usd;
    }
  }

  /** Starts to simulate after a while, on a thread of its own: the run does not wait for it. */
  void startIn(Duration pause) {
    DaemonThreads.start(
        "run-forecast",
        () -> {
          try {
            Thread.sleep(pause.toMillis());
            forecast().write(folder);
          } catch (IOException | InterruptedException e) {
            // The page of the run shows no forecast then.
          }
        });
  }

  /** Returns what comes of the run in simulations of the same market. */
  private Forecast forecast() {
    List<Foreseen> runs = new ArrayList<>();
    for (int i = 0; i < RUNS; i++) {
      Timeline timeline = new Timeline();
      runs.add(new Foreseen(local.foresee(seed + i, timeline), timeline.spent()));
    }
    return of(runs, local.scenario().deadlineSeconds());
  }

  /**
   * Returns a forecast by simulated runs. Its figures are of those that were done.
   *
   * @param deadlineSeconds infinite when there is no deadline
   */
  static Forecast of(List<Foreseen> runs, double deadlineSeconds) {
    Double deadline = Double.isInfinite(deadlineSeconds) ? null : deadlineSeconds;
    List<Foreseen> done = runs.stream().filter(run -> run.outcome().finished()).toList();
    String basis = "%d simulated runs on the market that is played".formatted(runs.size());
    if (done.isEmpty()) {
      return new Forecast(basis + "; none was done.", null, null, null, List.of(), deadline);
    }
    int open = runs.size() - done.size();
    double longest = done.stream().mapToDouble(run -> run.outcome().seconds()).max().orElse(0);
    List<Moment> band = new ArrayList<>();
    for (int i = 0; i <= MOMENTS; i++) {
      double at = longest * i / MOMENTS;
      band.add(new Moment(at, spread(done, run -> run.usd(at))));
    }
    return new Forecast(
        open == 0
            ? basis + "."
            : "%s; %.0f %% were not done, and are left out."
                .formatted(basis, 100.0 * open / runs.size()),
        spread(done, run -> run.outcome().cost().dollars()),
        spread(done, run -> run.outcome().seconds()),
        spread(done, run -> run.outcome().revocations()),
        band,
        deadline);
  }

  private static Spread spread(List<Foreseen> runs, ToDoubleFunction<Foreseen> figure) {
    double[] sorted = runs.stream().mapToDouble(figure).sorted().toArray();
    return new Spread(at(sorted, LOW), at(sorted, MIDDLE), at(sorted, HIGH));
  }

  private static double at(double[] sorted, double share) {
    return sorted[(int) Math.round(share * (sorted.length - 1))];
  }
}

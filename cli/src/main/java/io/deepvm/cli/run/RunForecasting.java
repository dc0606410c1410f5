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

  private record Foreseen(Outcome outcome, List<Spent> spent) {
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

  /** Starts to simulate on a thread of its own: the run does not wait for it. */
  void start() {
    DaemonThreads.start("run-forecast", this::write);
  }

  private void write() {
    try {
      forecast().write(folder);
    } catch (IOException e) {
      // The page of the run shows no forecast then.
    }
  }

  /** Returns what comes of the run in simulations of the same market. */
  Forecast forecast() {
    List<Foreseen> runs = new ArrayList<>();
    for (int i = 0; i < RUNS; i++) {
      Timeline timeline = new Timeline();
      runs.add(new Foreseen(local.foresee(seed + i, timeline), timeline.spent()));
    }
    double longest = runs.stream().mapToDouble(run -> run.outcome().seconds()).max().orElse(0);
    List<Moment> band = new ArrayList<>();
    for (int i = 0; i <= MOMENTS; i++) {
      double at = longest * i / MOMENTS;
      band.add(new Moment(at, spread(runs, run -> run.usd(at))));
    }
    double deadline = local.scenario().deadlineSeconds();
    long unfinished = runs.stream().filter(run -> !run.outcome().finished()).count();
    return new Forecast(
        "%d simulated runs on the market that is played%s."
            .formatted(RUNS, unfinished == 0 ? "" : "; %d did not finish".formatted(unfinished)),
        spread(runs, run -> run.outcome().cost().dollars()),
        spread(runs, run -> run.outcome().seconds()),
        spread(runs, run -> run.outcome().revocations()),
        band,
        null,
        Double.isInfinite(deadline) ? null : deadline);
  }

  private static Spread spread(List<Foreseen> runs, ToDoubleFunction<Foreseen> figure) {
    double[] sorted = runs.stream().mapToDouble(figure).sorted().toArray();
    return new Spread(at(sorted, LOW), at(sorted, MIDDLE), at(sorted, HIGH));
  }

  private static double at(double[] sorted, double share) {
    return sorted[(int) Math.round(share * (sorted.length - 1))];
  }
}

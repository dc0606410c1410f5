package io.deepvm.simulator.forecast;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Market;
import io.deepvm.checkpoint.SaveRule;
import io.deepvm.market.Alignment;
import io.deepvm.market.Dependence;
import io.deepvm.market.GapRule;
import io.deepvm.market.Markets;
import io.deepvm.market.Trace;
import io.deepvm.market.UnannouncedLosses;
import io.deepvm.planner.MemberRates;
import io.deepvm.simulator.Billing;
import io.deepvm.simulator.Checkpointing;
import io.deepvm.simulator.Experiment;
import io.deepvm.simulator.Future;
import io.deepvm.simulator.NodeLoad;
import io.deepvm.simulator.PlannedRun;
import io.deepvm.simulator.Sample;
import io.deepvm.simulator.Stage;
import io.deepvm.simulator.Startup;
import io.deepvm.simulator.policy.InPlace;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * A job in one zone of a recorded market: its forecast is compared with simulated runs.
 *
 * @param market the name of a built-in record
 * @param zone the position of the zone in the record
 * @param hours of undisturbed training
 * @param anchor whether one worker stays and keeps the checkpoints on its disk; else they go to an
 *     object store
 */
public record RecordedJob(
    String market, int zone, int workers, double hours, double checkpointGb, boolean anchor) {

  private static final String H100 = "gcp-h100-2025-10";
  private static final String V100 = "aws-v100-2023-02";
  private static final int H100_ZONES = 13;
  private static final int V100_ZONES = 3;
  private static final int[] WORKERS = {1, 2, 4, 8, 16};
  private static final double[] HOURS = {2, 6, 15, 30};

  /**
   * Returns twenty jobs. Every recorded zone comes once or twice; sizes, lengths and architectures
   * take turns.
   */
  public static List<RecordedJob> twenty() {
    return IntStream.range(0, 20)
        .mapToObj(
            i -> {
              int zone = i % (H100_ZONES + V100_ZONES);
              int workers = WORKERS[(i + 1) % WORKERS.length];
              boolean anchor = i % 3 == 2 && workers > 1;
              return new RecordedJob(
                  zone < H100_ZONES ? H100 : V100,
                  zone < H100_ZONES ? zone : zone - H100_ZONES,
                  workers,
                  HOURS[i % HOURS.length],
                  anchor ? 0.5 : 2,
                  anchor);
            })
        .toList();
  }

  private Stage stage() {
    return stage(speeds());
  }

  /** Returns the job with these speeds of 1, 2, ... workers. */
  Stage stage(double[] speeds) {
    return stage(new MemberRates(speeds));
  }

  /** Returns the job with workers of these rates. */
  Stage stage(MemberRates rates) {
    return stage(rates, NodeLoad.NONE);
  }

  /** Returns the job with nodes that load files before they train. */
  Stage stage(MemberRates rates, NodeLoad load) {
    List<Trace> traces =
        Alignment.onOneClock(Markets.load(market).traces(), null).stream()
            .map(trace -> trace.filled(GapRule.LAST))
            .toList();
    Trace trace = traces.get(zone);
    Money spot = money(Arrays.stream(trace.spotUsdPerHour()).average().orElseThrow());
    Money onDemand = money(Objects.requireNonNull(trace.onDemandUsdPerHour()));
    PlannedRun.Group taken =
        new PlannedRun.Group(
            trace.pool(), Market.SPOT, workers - (anchor ? 1 : 0), false, spot, onDemand, 1, 1.0);
    PlannedRun.Group stays =
        new PlannedRun.Group(trace.pool(), Market.ON_DEMAND, 1, true, onDemand, onDemand, 1, 1.0);
    PlannedRun run =
        new PlannedRun(
            anchor ? "single-anchor" : "tiering",
            anchor ? List.of(stays, taken) : List.of(taken),
            anchor ? PlannedRun.Helpers.NONE : new PlannedRun.Helpers(1, money(0.2)),
            rates,
            hours * 3600,
            checkpointing(),
            load,
            null);
    return Stage.of(run, List.of(trace), Startup.USUAL, Billing.BY_THE_SECOND);
  }

  private static Money money(double usd) {
    return Money.of(BigDecimal.valueOf(usd));
  }

  /** Amdahl's law with a serial share of 2 %. */
  private double[] speeds() {
    double[] speeds = new double[workers];
    for (int n = 1; n <= workers; n++) {
      speeds[n - 1] = (0.02 + 0.98 / workers) / (0.02 + 0.98 / n);
    }
    return speeds;
  }

  private Checkpointing checkpointing() {
    double bytes = checkpointGb * 1e9;
    DataSize size = DataSize.ofGb(checkpointGb);
    SaveRule every = SaveRule.every(600);
    return anchor
        ? new Checkpointing(size, true, bytes / 125e6, 0, bytes / 125e6, false, false, every)
        : new Checkpointing(size, true, bytes / 5e9, bytes / 6e8, bytes / 6e8, true, true, every);
  }

  /** Returns the forecast that a plan states. */
  public RunForecast planned() {
    return forecast(stage());
  }

  static RunForecast forecast(Stage stage) {
    return Forecaster.of(List.of(stage), Dependence.MEASURED, UnannouncedLosses::of);
  }

  /** Simulates the job as {@code deepvm simulate} does. */
  public Sample simulated(int runs) {
    return simulated(stage(), runs);
  }

  static Sample simulated(Stage stage, int runs) {
    double ahead = stage.horizonSeconds();
    Future.Source recorded =
        Future.isLong(stage.market(), ahead)
            ? Future.starts(stage.market(), runs, ahead)
            : Future.blocks(stage.market(), Future.BLOCK_SECONDS, ahead);
    return Experiment.run(
        stage.scenario(),
        future -> new InPlace(stage.spot(), stage.onDemand()),
        recorded.split(stage.split(Dependence.MEASURED)).losing(UnannouncedLosses::of),
        runs,
        1,
        2,
        done -> {});
  }
}

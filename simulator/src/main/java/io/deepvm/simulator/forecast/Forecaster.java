package io.deepvm.simulator.forecast;

import io.deepvm.base.Quantiles;
import io.deepvm.market.Dependence;
import io.deepvm.market.SpotMarket;
import io.deepvm.market.UnannouncedLosses;
import io.deepvm.simulator.Experiment;
import io.deepvm.simulator.Future;
import io.deepvm.simulator.Scenario;
import io.deepvm.simulator.Stage;
import io.deepvm.simulator.forecast.RunForecast.Part;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Computes what a plan takes and costs on a market, without simulating runs. */
public final class Forecaster {

  /** Begins of runs on one course of the market, spread evenly. */
  private static final int BEGINS = 512;

  /** Courses that are drawn where the record does not say all: the same ones for every plan. */
  private static final int COURSES = 8;

  private static final long SEED = 1;

  private static final double LOW = 0.1;
  private static final double HIGH = 0.9;
  private static final double SECONDS_A_MONTH = 30 * 24 * 3600.0;

  private final Dependence dependence;
  private final Function<String, UnannouncedLosses> unannounced;
  private final List<Double> seconds = new ArrayList<>();
  private final List<Double> usd = new ArrayList<>();
  private final Map<Part, Double> parts = new EnumMap<>(Part.class);
  private int begun;
  private int inTime;

  private Forecaster(Dependence dependence, Function<String, UnannouncedLosses> unannounced) {
    this.dependence = dependence;
    this.unannounced = unannounced;
  }

  /**
   * Returns the forecast of a plan; the plan is followed as it is, each lost spot worker replaced
   * where it was lost.
   *
   * @param alternatives the plan on each market that may be the true one
   * @param dependence how far nodes come and go together where the record is of one node
   * @param unannounced losses without notice, by cloud
   */
  public static RunForecast of(
      List<Stage> alternatives,
      Dependence dependence,
      Function<String, UnannouncedLosses> unannounced) {
    Forecaster forecaster = new Forecaster(dependence, unannounced);
    double horizon = alternatives.stream().mapToDouble(Stage::horizonSeconds).max().orElseThrow();
    alternatives.forEach(forecaster::add);
    return forecaster.forecast(horizon);
  }

  /**
   * Returns the least and the most share of runs in time, over all markets that may be the true
   * one. On each, nodes come and go always or never together.
   */
  public static RunForecast.Range inTime(
      List<Stage> alternatives, Function<String, UnannouncedLosses> unannounced) {
    double low = 1;
    double high = 0;
    for (Stage stage : alternatives) {
      for (Dependence each : List.of(Dependence.TOGETHER, Dependence.INDEPENDENT)) {
        double share = of(List.of(stage), each, unannounced).inTime();
        low = Math.min(low, share);
        high = Math.max(high, share);
      }
    }
    return new RunForecast.Range(low, high);
  }

  private void add(Stage stage) {
    SpotMarket market = stage.market().losing(unannounced);
    double ahead = stage.horizonSeconds();
    boolean split = false;
    for (int p = 0; p < stage.single().length; p++) {
      split |= stage.single()[p] && stage.spot()[p] > 0;
    }
    // A record that is too short for the runs goes on with blocks of itself, as in simulations.
    boolean isLong = Future.isLong(market, ahead);
    double length = market.ticks() * market.tickSeconds() + ahead;
    Future.Source blocks = Future.blocks(market, Future.BLOCK_SECONDS, length);
    for (int i = 0; i < (split || !isLong ? COURSES : 1); i++) {
      SpotMarket course = isLong ? market : blocks.of(i, Experiment.seedOf(SEED, i)).market();
      add(stage, split ? stage.split(dependence).split(course, i) : course);
    }
  }

  private void add(Stage stage, SpotMarket course) {
    int ahead = (int) Math.ceil(stage.horizonSeconds() / course.tickSeconds());
    int last = course.ticks() - ahead;
    ProgressCurve curve =
        ProgressCurve.of(stage.scenario(), course, stage.spot(), stage.onDemand());
    int runs = Math.min(BEGINS, last + 1);
    for (int run = 0; run < runs; run++) {
      int tick = runs == 1 ? 0 : (int) Math.round((double) last * run / (runs - 1));
      add(stage, curve, tick, course.tickSeconds(), ahead);
    }
  }

  private void add(Stage stage, ProgressCurve curve, int tick, double tickSeconds, int ahead) {
    Scenario scenario = stage.scenario();
    begun++;
    boolean staffed = curve.isStaffed(tick);
    double start = staffed ? stage.startSeconds() : 0;
    // Nothing is restored before the first generation.
    double spared = staffed ? 0 : scenario.checkpointing().restoreSeconds();
    double begin = tick + start / tickSeconds;
    double end = curve.end(begin, Math.max(0, scenario.work() - spared));
    if (end > tick + ahead) {
      return;
    }
    double took = (end - tick) * tickSeconds;
    seconds.add(took);
    double firstLoads = curve.held(tick) * scenario.billing().usdPerBoot();
    usd.add(curve.usd(tick, end) + storage(scenario, took) + firstLoads);
    inTime += took <= scenario.deadlineSeconds() ? 1 : 0;
    double stalled = curve.stalled(begin, end);
    double lost = curve.lost(begin, end);
    parts.merge(Part.TRAINING, scenario.work(), Double::sum);
    parts.merge(Part.START, start, Double::sum);
    parts.merge(Part.STALLS, stalled, Double::sum);
    parts.merge(Part.LOST_WORK, lost, Double::sum);
    parts.merge(Part.MISSING_WORKERS, took - scenario.work() - start - stalled - lost, Double::sum);
  }

  private static double storage(Scenario scenario, double seconds) {
    return scenario.checkpointing().storage()
        ? scenario.checkpointing().size().bytes()
            / 1e9
            * seconds
            / SECONDS_A_MONTH
            * scenario.billing().storageUsdPerGbMonth()
        : 0;
  }

  private RunForecast forecast(double horizon) {
    int done = seconds.size();
    Map<Part, Double> means = new EnumMap<>(Part.class);
    parts.forEach((part, sum) -> means.put(part, sum / done));
    return new RunForecast(
        spread(seconds),
        spread(usd),
        (double) done / begun,
        horizon,
        (double) inTime / begun,
        means);
  }

  private static RunForecast.Spread spread(List<Double> values) {
    if (values.isEmpty()) {
      return new RunForecast.Spread(
          Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY);
    }
    Quantiles sorted = new Quantiles(values.stream().mapToDouble(Double::doubleValue).toArray());
    return new RunForecast.Spread(sorted.mean(), sorted.at(LOW), sorted.at(HIGH));
  }
}

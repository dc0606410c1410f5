package io.deepvm.cli.plan;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Catalog;
import io.deepvm.cli.print.ExpectedRun;
import io.deepvm.market.Dependence;
import io.deepvm.market.UnannouncedLosses;
import io.deepvm.market.interruption.Interruptions;
import io.deepvm.planner.Goal;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Planning;
import io.deepvm.simulator.PlanReading;
import io.deepvm.simulator.PlannedRun;
import io.deepvm.simulator.forecast.Forecaster;
import io.deepvm.simulator.forecast.LikelyMarkets;
import io.deepvm.simulator.forecast.RunForecast;
import io.deepvm.workload.Job;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Computes what plans take and cost with interruptions, boots, restores and stalls. */
final class PlanForecasts {

  private final Job job;
  private final Goal goal;
  private final Catalog offers;
  private final LikelyMarkets markets;

  /**
   * Makes forecasts for one goal.
   *
   * @param interruptions stated for pools without a record; null if nothing is
   */
  PlanForecasts(Job job, Goal goal, Catalog offers, @Nullable Interruptions interruptions) {
    markets = new LikelyMarkets(interruptions);
    this.job = job;
    this.goal = goal;
    this.offers = offers;
  }

  /** Returns what to expect of each plan; a plan of an unknown amount of work is left out. */
  Map<Plan, ExpectedRun> of(Planning planning) {
    Map<Plan, ExpectedRun> expected = new LinkedHashMap<>();
    for (Plan plan : planning.plans()) {
      PlannedRun run = livable(plan, job, goal, offers);
      if (run != null && run.seconds() != null) {
        LikelyMarkets.Setting setting = markets.of(run);
        RunForecast forecast =
            Forecaster.of(setting.stages(), Dependence.MEASURED, UnannouncedLosses::of);
        expected.put(plan, new ExpectedRun(forecast, setting.kind(), setting.record()));
      }
    }
    return expected;
  }

  /** Returns what is needed to live a plan, or null where it rests on machines already at hand. */
  static @Nullable PlannedRun livable(Plan plan, Job job, Goal goal, Catalog offers) {
    try {
      return PlanReading.of(plan, job, goal, offers);
    } catch (BadInput notForRent) {
      return null;
    }
  }
}

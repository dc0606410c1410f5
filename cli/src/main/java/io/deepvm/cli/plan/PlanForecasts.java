package io.deepvm.cli.plan;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Market;
import io.deepvm.cli.print.ExpectedRun;
import io.deepvm.market.Dependence;
import io.deepvm.market.PriceDrift;
import io.deepvm.market.UnannouncedLosses;
import io.deepvm.market.interruption.Interruptions;
import io.deepvm.planner.Goal;
import io.deepvm.planner.NodeGroup;
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

  private static final double SECONDS_A_DAY = 24 * 3600;

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
        RunForecast.Range inTime =
            goal.deadline() == null
                ? null
                : Forecaster.inTime(setting.stages(), UnannouncedLosses::of)
                    .with(forecast.inTime());
        expected.put(
            plan,
            new ExpectedRun(
                drifting(forecast, plan, setting.kind()),
                setting.kind(),
                setting.record(),
                run.load(),
                inTime));
      }
    }
    return expected;
  }

  /** Returns the forecast at prices that rise as spot prices did; a record has its own. */
  private static RunForecast drifting(RunForecast forecast, Plan plan, LikelyMarkets.Kind kind) {
    double days = forecast.seconds().mean() / SECONDS_A_DAY;
    if (kind == LikelyMarkets.Kind.RECORDED || Double.isInfinite(days)) {
      return forecast;
    }
    double dearer = 0;
    for (NodeGroup group : plan.nodes()) {
      String cloud = group.offer().place().cloud();
      if (group.offer().market() == Market.SPOT && PriceDrift.isKnown(cloud)) {
        double rise = PriceDrift.meanOver(cloud, 0, days) - 1;
        dearer += rise * group.pricePerHour().dollars() / plan.pricePerHour().dollars();
      }
    }
    return forecast.dearer(1 + dearer);
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

package io.deepvm.cli.print;

import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Offer;
import io.deepvm.checkpoint.SaveRule;
import io.deepvm.planner.NodeGroup;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Planning;
import io.deepvm.planner.Planning.Infeasible;
import io.deepvm.simulator.Checkpointing;
import io.deepvm.simulator.NodeLoad;
import io.deepvm.simulator.PlannedRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The plans as JSON of the schema deepvm/plans/v1: keys may be added, never renamed. */
public final class PlanJson {

  private PlanJson() {}

  /**
   * Prints plans, each with what is needed to live it, or why there are none.
   *
   * @param expected what plans take and cost with interruptions, where it is known
   * @param simulated what came of the plans on a market, where they were tried
   */
  public static void print(
      PrintWriter out,
      Planning planning,
      Catalog catalog,
      Function<Plan, @Nullable PlannedRun> runs,
      Map<Plan, ExpectedRun> expected,
      Map<Plan, RiskReport.Candidate> simulated) {
    Json.object(
        out,
        json -> {
          json.put("schema", "deepvm/plans/v1");
          CatalogJson.put(json, catalog);
          json.array(
              "plans",
              plans -> {
                int rank = 0;
                for (Plan plan : planning.plans()) {
                  int place = ++rank;
                  plans.object(
                      p -> {
                        plan(p, plan, runs.apply(plan), place);
                        ExpectedRun run = expected.get(plan);
                        if (run != null) {
                          p.object("expected", run::json);
                        }
                        RiskReport.Candidate lived = simulated.get(plan);
                        if (lived != null) {
                          RiskReport.json(p, lived);
                        }
                      });
                }
              });
          json.texts("notes", planning.notes());
          Infeasible infeasible = planning.infeasible();
          if (infeasible != null) {
            json.object("infeasible", i -> infeasible(i, infeasible));
            return;
          }
          json.array(
              "paretoFront",
              front -> {
                for (Plan plan : planning.paretoFront()) {
                  front.object(p -> cluster(p, plan));
                }
              });
          json.object(
              "leftOut",
              left -> {
                for (Map.Entry<String, Integer> e : new TreeMap<>(planning.leftOut()).entrySet()) {
                  left.put(e.getKey(), e.getValue());
                }
              });
        });
  }

  private static void infeasible(Json json, Infeasible infeasible) throws IOException {
    json.put("reason", infeasible.reason());
    json.texts("relax", Hints.phrases(infeasible));
    json.put("smallestUsdPerHour", infeasible.smallestBudget());
  }

  private static void plan(Json json, Plan plan, @Nullable PlannedRun run, int rank)
      throws IOException {
    json.put("rank", rank);
    cluster(json, plan);
    json.texts("why", plan.why());
    if (run != null) {
      json.object("run", r -> run(r, run));
    }
  }

  private static void run(Json json, PlannedRun run) throws IOException {
    json.array(
        "workers",
        workers -> {
          for (PlannedRun.Group group : run.workers()) {
            workers.object(w -> worker(w, group));
          }
        });
    json.put("anchors", run.helpers().count());
    json.put("anchorsUsdPerHour", run.helpers().perHour());
    json.numbers("speeds", run.speeds());
    json.numbers("trafficUsdPerHour", run.rates().trafficUsdPerHour());
    json.put("seconds", run.seconds());
    json.put("deadlineSeconds", run.deadlineSeconds());
    NodeLoad load = run.load();
    json.object(
        "load",
        l -> {
          l.put("seconds", load.seconds());
          l.put("usd", load.usd());
          l.put("diskUsdPerHour", load.diskUsdPerHour());
        });
    Checkpointing checkpoint = run.checkpoint();
    json.object(
        "checkpoint",
        c -> {
          c.put("bytes", checkpoint.size().bytes());
          c.put("stallSeconds", checkpoint.stallSeconds());
          c.put("shipSeconds", checkpoint.shipSeconds());
          c.put("restoreSeconds", checkpoint.restoreSeconds());
          c.put("justInTime", checkpoint.justInTime());
          c.put("objectStore", checkpoint.storage());
          if (checkpoint.rule() instanceof SaveRule.Fixed fixed) {
            c.put("intervalSeconds", fixed.seconds());
          }
        });
  }

  private static void worker(Json json, PlannedRun.Group group) throws IOException {
    json.put("cloud", group.pool().place().cloud());
    json.put("region", group.pool().place().region());
    json.put("zone", group.pool().place().zone());
    json.put("instanceType", group.pool().instanceType());
    json.put("market", group.market());
    json.put("count", group.count());
    json.put("anchor", group.anchor());
    json.put("usdPerHour", group.pricePerHour());
    json.put("onDemandUsdPerHour", group.onDemandPerHour());
    json.put("speed", group.speed());
    json.put("gpus", group.gpus());
  }

  private static void cluster(Json json, Plan plan) throws IOException {
    json.put("architecture", plan.architecture());
    json.array(
        "nodes",
        nodes -> {
          for (NodeGroup group : plan.nodes()) {
            nodes.object(n -> group(n, group));
          }
        });
    json.put("usdPerHour", plan.pricePerHour());
    json.put("objective", plan.objective());
    json.put("score", plan.score());
    json.put("gap", plan.gap());
    json.object(
        "predicted",
        p -> {
          p.put("speedup", plan.predicted().speedup());
          p.put("flops", plan.predicted().flops());
          p.put("samplesPerSecond", plan.predicted().samplesPerSecond());
          p.put("seconds", plan.predicted().seconds());
          p.put("usd", plan.predicted().cost());
          p.put("granularity", plan.predicted().granularity());
          p.put("trafficUsdPerHour", plan.predicted().trafficPerHour());
        });
  }

  static void group(Json json, NodeGroup group) throws IOException {
    Offer offer = group.offer();
    json.put("role", group.role());
    json.put("cloud", offer.place().cloud());
    json.put("region", offer.place().region());
    json.put("zone", offer.place().zone());
    json.put("instanceType", offer.machine().name());
    json.put("market", Clusters.market(offer));
    json.put("count", group.count());
    json.put("usdPerHour", offer.pricePerHour());
  }
}

package io.deepvm.planner.parameterserver;

import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.planner.ArchitectureFamily;
import io.deepvm.planner.ClusterForecast;
import io.deepvm.planner.GivenCluster;
import io.deepvm.planner.Goal;
import io.deepvm.planner.Hint;
import io.deepvm.planner.NodeGroup;
import io.deepvm.planner.Objective;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Planning;
import io.deepvm.planner.Prediction;
import io.deepvm.planner.Role;
import io.deepvm.planner.Setting;
import io.deepvm.workload.AsynchronousTraining;
import io.deepvm.workload.Job;
import io.deepvm.workload.fit.LossFit;
import io.deepvm.workload.parameterserver.ClusterSpeed;
import io.deepvm.workload.parameterserver.LossGoal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Workers of any types that train asynchronously over parameter servers, as spotDNN has them. */
public final class ParameterServerFamily implements ArchitectureFamily {

  /** The name users choose it by. */
  public static final String NAME = "parameter-server";

  /** From renting a worker to its first step: what the study measured, 2 minutes. */
  private static final double START_UP_SECONDS = 120;

  /** Lost to a revocation before training goes on: what the study measured. */
  private static final double REVOCATION_SECONDS = 30;

  private static final int MOST_SERVERS = 4;

  private static final long SEED = 1;

  @Override
  public List<String> architectures() {
    return List.of(NAME);
  }

  @Override
  public boolean knows(Job job) {
    AsynchronousTraining training = job.profiles().parameterServer();
    return training != null && training.targetLoss() != null;
  }

  @Override
  public Planning plan(Catalog catalog, Job job, Goal goal) {
    AsynchronousTraining training = training(job);
    ParameterServerGoal wanted =
        new ParameterServerGoal(
            lossGoal(training),
            deadline(goal),
            goal.maxPricePerHour(),
            overheadSeconds(training),
            training.running().isEmpty() ? START_UP_SECONDS : 0,
            goal.offers().markets(),
            goal.places(),
            null,
            MOST_SERVERS,
            true,
            training.running());
    return plan(catalog, job, goal, wanted, new ExactSearch());
  }

  /** The same with a way to bill, to start and to search of one's choice. */
  public static Planning plan(
      Catalog catalog, Job job, Goal goal, ParameterServerGoal wanted, ProvisionSearch search) {
    if (goal.objective() != Objective.COST) {
      throw new BadInput(
          "Parameter servers are planned for the least cost that reaches a loss by a deadline, not"
              + " for %s.".formatted(goal.objective()),
          "Maybe --objective cost, or leave it out.");
    }
    ParameterServerPlanning found =
        new ParameterServerPlanner(catalog.with(catalog.in(goal.places())), training(job).profile())
            .plan(wanted, search);
    List<Plan> plans = new ArrayList<>();
    Money leastCost = Goal.NO_CEILING;
    Set<Set<String>> kinds = new HashSet<>();
    for (ParameterServerPlan each : found.plans()) {
      ParameterServerPlan sure = sure(each, job, goal);
      if (sure == null) {
        continue;
      }
      Money cost = sure.provision().cost();
      leastCost = cost.compareTo(leastCost) < 0 ? cost : leastCost;
      if (plans.size() < goal.alternatives()
          && (goal.maxCost() == null || cost.compareTo(goal.maxCost()) <= 0)
          && kinds.add(types(sure))) {
        plans.add(plan(sure, job, goal, search, plans.isEmpty()));
      }
    }
    return new Planning(
        goal,
        List.of(),
        found.leftOut(),
        List.of(
            new Planning.Stage(NAME, found.plans().size(), plans.isEmpty() ? null : plans.get(0))),
        plans,
        List.of(),
        plans.isEmpty() ? infeasible(found, leastCost, goal) : null);
  }

  @Override
  public List<List<ClusterForecast.Finding>> figures(Job job, List<GivenCluster> clusters) {
    return clusters.stream().map(cluster -> predict(job, cluster).findings()).toList();
  }

  @Override
  public ClusterForecast predict(Job job, GivenCluster cluster) {
    return new GivenServers(training(job), cluster).forecast();
  }

  static AsynchronousTraining training(Job job) {
    AsynchronousTraining training = job.profiles().parameterServer();
    if (training == null) {
      throw new BadInput(
          "Parameter servers need measurements that the job '%s' lacks.".formatted(job.name()),
          "Maybe add parameterServer: to the job file; docs/reference/job-file.md has an example.");
    }
    return training;
  }

  /** What a revocation costs the workers that it left; nothing where none run. */
  public static double overheadSeconds(AsynchronousTraining training) {
    return training.running().isEmpty() ? 0 : REVOCATION_SECONDS;
  }

  private static LossGoal lossGoal(AsynchronousTraining training) {
    Double target = training.targetLoss();
    if (target == null) {
      throw new BadInput(
          "Parameter servers are planned for a target loss, and none is stated.",
          "Maybe add --target-loss 0.8, or parameterServer.targetLoss to the job file.");
    }
    return training.goal(target);
  }

  private static double deadline(Goal goal) {
    return goal.deadline() == null ? Double.POSITIVE_INFINITY : goal.deadline().toMillis() / 1e3;
  }

  /** The plan that keeps the confidence, the plan itself when none is asked for, null if none. */
  private static @Nullable ParameterServerPlan sure(ParameterServerPlan plan, Job job, Goal goal) {
    if (goal.confidence() == null) {
      return plan;
    }
    Provision provision = risk(job).plan(plan.request(), goal.confidence());
    return provision == null
        ? null
        : new ParameterServerPlan(
            plan.place(), plan.workers(), plan.servers(), plan.request(), provision, plan.gap());
  }

  static DeadlineRisk risk(Job job) {
    LossFit fit = training(job).lossFit();
    if (fit == null) {
      throw new BadInput(
          "A confidence needs to know how uncertain the loss curve is, and the job only states the"
              + " curve.",
          "Maybe name the training log in parameterServer.lossMeasurements.");
    }
    return new DeadlineRisk(fit, SEED);
  }

  private static Planning.Infeasible infeasible(
      ParameterServerPlanning found, Money leastCost, Goal goal) {
    if (found.infeasible() != null) {
      return found.infeasible();
    }
    if (leastCost.equals(Goal.NO_CEILING)) {
      return new Planning.Infeasible(
          "No cluster%s meets the deadline with a probability of %s."
              .formatted(
                  goal.maxPricePerHour().equals(Goal.NO_CEILING)
                      ? ""
                      : " of at most %s/h".formatted(goal.maxPricePerHour()),
                  goal.confidence()),
          List.of(
              new Hint.Change("raise", Setting.DEADLINE, ""),
              new Hint.Change("lower", Setting.CONFIDENCE, ""),
              new Hint.Advice("measure the loss for longer")),
          null);
    }
    return new Planning.Infeasible(
        "The cheapest cluster that meets the goal costs %s in all, more than the %s allowed."
            .formatted(leastCost, goal.maxCost()),
        List.of(Hint.raise(Setting.MAX_COST, Objects.requireNonNull(goal.maxCost()), leastCost)),
        null);
  }

  private static Plan plan(
      ParameterServerPlan found, Job job, Goal goal, ProvisionSearch search, boolean first) {
    Provision provision = found.provision();
    ClusterSpeed speed = provision.training().speed();
    return new Plan(
        NAME,
        nodes(found),
        provision.pricePerHour(),
        Objective.COST,
        provision.dollars(),
        found.gap(),
        new Prediction(
            speed.samplesPerSecond() / speed.groups().get(0).samplesPerSecond(),
            null,
            speed.samplesPerSecond(),
            null,
            Money.ZERO,
            provision.seconds(),
            provision.cost()),
        ServerReasons.why(found, job, goal, search, first));
  }

  /** What is to be rented; workers that train have their servers already. */
  static List<NodeGroup> nodes(ParameterServerPlan plan) {
    List<NodeGroup> nodes = new ArrayList<>();
    for (int i = 0; i < plan.workers().size(); i++) {
      int count = plan.provision().added().get(i);
      if (count > 0) {
        nodes.add(new NodeGroup(Role.WORKER, plan.workers().get(i), count));
      }
    }
    if (plan.request().running() == 0) {
      nodes.add(new NodeGroup(Role.SERVER, plan.servers().offer(), plan.servers().count()));
    }
    return nodes;
  }

  /** The worker types; the same ones in another place are no alternative. */
  private static Set<String> types(ParameterServerPlan plan) {
    return nodes(plan).stream()
        .filter(group -> group.role() == Role.WORKER)
        .map(group -> group.offer().machine().name())
        .collect(Collectors.toSet());
  }
}

package io.deepvm.planner.averaging;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Offer;
import io.deepvm.planner.ArchitectureFamily;
import io.deepvm.planner.ClusterForecast;
import io.deepvm.planner.GivenCluster;
import io.deepvm.planner.Goal;
import io.deepvm.planner.NodeGroup;
import io.deepvm.planner.Objective;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Planning;
import io.deepvm.planner.Prediction;
import io.deepvm.planner.Role;
import io.deepvm.planner.averaging.AveragingGoal.Aim;
import io.deepvm.workload.Job;
import io.deepvm.workload.JobScaling;
import io.deepvm.workload.Work;
import io.deepvm.workload.averaging.AveragingProfile;
import io.deepvm.workload.averaging.CatalogNetwork;
import io.deepvm.workload.averaging.Forecast;
import io.deepvm.workload.averaging.Peer;
import io.deepvm.workload.averaging.PeerGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Peers that train apart and average in rounds, in any number of places. */
public final class AveragingFamily implements ArchitectureFamily {

  private static final String NAME = "averaging";
  private static final int MOST_PEERS = 32;
  private static final int MOST_CONTINENTS = 4;

  @Override
  public List<String> architectures() {
    return List.of(NAME);
  }

  @Override
  public boolean knows(Job job) {
    return job.profiles().averaging() != null;
  }

  @Override
  public Planning plan(Catalog catalog, Job job, Goal goal) {
    SpeedProfile profile = SpeedProfile.of(job);
    AveragingProfile averaging = SpeedProfile.averaging(job);
    Catalog wanted = catalog.with(catalog.in(goal.places()));
    List<String> notes = new ArrayList<>();
    List<PeerGroup> own =
        goal.own().stream().map(group -> profile.peers(group, notes::add)).toList();
    AveragingPlanning found =
        new AveragingPlanner(
                profile, new CatalogNetwork(), averaging.protocol(), averaging.coefficients())
            .plan(wanted, goal(job, goal).with(own));
    List<Plan> plans =
        found.plans().stream().map(plan -> plan(plan, job, goal.objective())).toList();
    return new Planning(
        goal,
        List.of(),
        found.leftOut(),
        List.of(
            new Planning.Stage(NAME, found.considered(), plans.isEmpty() ? null : plans.get(0))),
        plans,
        List.of(),
        found.infeasible(),
        notes);
  }

  @Override
  public List<List<ClusterForecast.Finding>> figures(Job job, List<GivenCluster> clusters) {
    return clusters.stream().map(cluster -> predict(job, cluster).findings()).toList();
  }

  @Override
  public ClusterForecast predict(Job job, GivenCluster cluster) {
    return new GivenPeers(job, cluster).forecast();
  }

  private static AveragingGoal goal(Job job, Goal goal) {
    Aim aim =
        switch (goal.objective()) {
          case THROUGHPUT, TIME -> Aim.THROUGHPUT;
          case COST -> Aim.COST_PER_SAMPLE;
          case FLOPP ->
              throw new BadInput(
                  "Averaging is predicted in samples per second and has no FLOPP.",
                  "Maybe --objective throughput or cost.");
        };
    if (goal.lastWorker().leastGain() > 0) {
      throw new BadInput(
          "Averaging has no last worker to ask a least marginal gain of.",
          "Maybe drop --min-marginal-gain.");
    }
    boolean needsWork =
        goal.objective() == Objective.TIME || goal.deadline() != null || goal.maxCost() != null;
    Double samples = samples(job);
    if (needsWork && samples == null) {
      throw new BadInput(
          "Times, deadlines and a max cost need to know how many samples there are, and the job lacks"
              + " work.samples.",
          "Maybe add work: {samples: ..., flopPerSample: ...} to the job file.");
    }
    return new AveragingGoal(
        aim,
        goal.limits().pricePerHour(),
        goal.deadline() == null
            ? null
            : Objects.requireNonNull(samples) / (goal.deadline().toMillis() / 1e3),
        goal.maxCost() == null
            ? null
            : goal.maxCost().dollars() / Objects.requireNonNull(samples) * 1e6,
        SpeedProfile.averaging(job).largestTargetBatch(),
        MOST_PEERS,
        MOST_PEERS,
        MOST_CONTINENTS,
        goal.offers().markets(),
        List.of(),
        JobScaling.replicaMemory(job),
        List.of(),
        goal.alternatives());
  }

  private static Plan plan(AveragingPlan found, Job job, Objective objective) {
    Forecast forecast = found.forecast();
    double speed = forecast.samplesPerSecond();
    double granularity = forecast.granularity();
    Double samples = samples(job);
    Double seconds = samples == null ? null : samples / speed;
    double score =
        switch (objective) {
          case FLOPP, THROUGHPUT -> speed;
          case TIME -> Objects.requireNonNull(seconds);
          case COST ->
              samples == null
                  ? forecast.dollarsPerMillion()
                  : forecast.dollarsPerMillion() * samples / 1e6;
        };
    return new Plan(
        NAME,
        found.peers().stream().map(AveragingFamily::nodes).toList(),
        forecast.pricePerHour(),
        objective,
        score,
        found.gap(),
        new Prediction(
            speed / found.peers().get(0).group().peer().samplesPerSecond(),
            null,
            speed,
            Double.isInfinite(granularity) ? null : granularity,
            forecast.egressPerHour(),
            seconds,
            seconds == null ? null : forecast.pricePerHour().times(seconds / 3600)),
        found.why());
  }

  private static NodeGroup nodes(PlannedPeers peers) {
    Offer offer = peers.offer();
    return new NodeGroup(
        Role.WORKER, offer == null ? own(peers.group().peer()) : offer, peers.group().count());
  }

  private static Offer own(Peer peer) {
    Machine machine =
        new Machine(
            peer.place().cloud(), peer.name(), "", 0, null, null, peer.network(), null, null, null);
    return new Offer(machine, peer.place(), Market.ON_DEMAND, peer.pricePerHour());
  }

  private static @Nullable Double samples(Job job) {
    Work work = job.work();
    return work == null ? null : work.samples();
  }
}

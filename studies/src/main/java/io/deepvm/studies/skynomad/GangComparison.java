package io.deepvm.studies.skynomad;

import io.deepvm.base.BadInput;
import io.deepvm.market.SpotMarket;
import io.deepvm.simulator.gang.GangBound;
import io.deepvm.simulator.gang.GangJob;
import io.deepvm.simulator.gang.GangMarket;
import io.deepvm.simulator.gang.GangOutcome;
import io.deepvm.simulator.gang.GangPolicies;
import io.deepvm.simulator.gang.GangSimulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A job of any market in the original's simulator and in ours, policy by policy. */
public final class GangComparison {

  /**
   * One policy.
   *
   * @param zone the one it stays in; null for those that move
   * @param ours with the quirks mended; null for what only the original has
   * @param bound the least that anybody could pay under our rules
   */
  public record Row(
      String policy,
      @Nullable String zone,
      ArtifactOutcome original,
      @Nullable GangOutcome ours,
      double bound) {}

  private final GangMarket market;
  private final ArtifactCase given;

  private GangComparison(GangMarket market, ArtifactCase given) {
    this.market = market;
    this.given = given;
  }

  /** Returns the rows of the named policy, or of all when the name is null. */
  public static List<Row> of(SpotMarket market, ArtifactCase given, @Nullable String policy) {
    if (given.infeasible()) {
      throw new BadInput(
          "Work of %s h after a restart of %s h does not fit before the deadline (%s h)."
              .formatted(given.jobHours(), given.restartHours(), given.deadlineHours()),
          "Maybe raise --deadline.");
    }
    return new GangComparison(zones(market), given).rows(policy);
  }

  private static GangMarket zones(SpotMarket market) {
    int n = market.pools().size();
    List<String> names =
        market.pools().stream()
            .map(p -> Objects.requireNonNullElse(p.place().zone(), p.place().region()))
            .toList();
    double[][] egress = new double[n][n];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        egress[i][j] =
            ArtifactEgress.perGb(
                ArtifactEgress.region(names.get(i)), ArtifactEgress.region(names.get(j)));
      }
    }
    GangMarket gang = GangMarket.of(market, 1, egress);
    boolean[][] up = new boolean[n][gang.ticks()];
    double[][] spot = new double[n][gang.ticks()];
    double[] onDemand = new double[n];
    for (int z = 0; z < n; z++) {
      onDemand[z] = gang.onDemand(z);
      for (int t = 0; t < gang.ticks(); t++) {
        up[z][t] = gang.up(z, t);
        spot[z][t] = gang.spot(z, t);
      }
    }
    return GangMarket.of(
        names,
        names.stream().map(ArtifactEgress::region).toList(),
        gang.tickSeconds(),
        up,
        spot,
        onDemand,
        egress);
  }

  private List<Row> rows(@Nullable String policy) {
    List<Row> rows = new ArrayList<>();
    GangJob job = given.job();
    double bound = bound(market, job);
    for (GangPolicies.Entry entry : GangPolicies.all()) {
      boolean asked = policy == null || entry.name().equalsIgnoreCase(policy);
      if (!asked || entry.name().equals("clairvoyant")) {
        continue;
      }
      if (entry.oneZone()) {
        for (int z = 0; z < market.zones(); z++) {
          GangMarket one = market.only(z);
          rows.add(
              new Row(
                  entry.name(),
                  market.names().get(z),
                  ArtifactSimulator.run(entry.name(), one, given),
                  ours(entry, one, job),
                  bound(one, job)));
        }
      } else {
        rows.add(
            new Row(
                entry.name(),
                null,
                ArtifactSimulator.run(entry.name(), market, given),
                ours(entry, market, job),
                bound));
      }
    }
    if (policy == null || policy.equalsIgnoreCase(ArtifactSimulator.OPTIMAL)) {
      rows.add(
          new Row(
              ArtifactSimulator.OPTIMAL,
              null,
              ArtifactSimulator.run(ArtifactSimulator.OPTIMAL, market, given),
              null,
              bound));
    }
    if (rows.isEmpty()) {
      throw new BadInput(
          "The original has no policy '%s'.".formatted(policy), "Maybe ask for --policy all.");
    }
    return rows;
  }

  private GangMarket window(GangMarket of, GangJob job) {
    return of.window(given.startTick(), job.ticks(of.tickSeconds()));
  }

  private GangOutcome ours(GangPolicies.Entry entry, GangMarket of, GangJob job) {
    GangMarket window = window(of, job);
    return GangSimulation.run(window, job, entry.make(window));
  }

  private double bound(GangMarket of, GangJob job) {
    return GangBound.of(window(of, job), job).dollars();
  }
}

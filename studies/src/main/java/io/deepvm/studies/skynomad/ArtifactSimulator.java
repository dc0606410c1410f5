package io.deepvm.studies.skynomad;

import io.deepvm.base.BadInput;
import io.deepvm.simulator.gang.Gang;
import io.deepvm.simulator.gang.GangJob;
import io.deepvm.simulator.gang.GangMarket;
import io.deepvm.simulator.gang.GangOutcome;
import io.deepvm.simulator.gang.GangPolicies;
import io.deepvm.simulator.gang.GangPolicy;
import io.deepvm.simulator.gang.PaceValue;
import io.deepvm.simulator.gang.Quirks;
import io.deepvm.simulator.gang.Replay;
import io.deepvm.simulator.gang.RunLengths;
import io.deepvm.simulator.gang.SkyNomad;
import java.util.function.UnaryOperator;

/** Runs policies as the original does: its environments, its policies' mistakes, its reports. */
public final class ArtifactSimulator {

  /** The name of the original's plan with foresight. */
  public static final String OPTIMAL = "Optimal";

  private ArtifactSimulator() {}

  /** Returns what the original would report, for one of its policies over these zones. */
  public static ArtifactOutcome run(String policy, GangMarket trace, ArtifactCase given) {
    return run(policy, trace, given, UnaryOperator.identity());
  }

  /**
   * @param witness put around the policy, to look on
   */
  static ArtifactOutcome run(
      String policy, GangMarket trace, ArtifactCase given, UnaryOperator<GangPolicy> witness) {
    if (given.infeasible()) {
      return refused(trace, given);
    }
    GangJob job = given.job();
    GangMarket market = window(trace, given);
    if (policy.equals(OPTIMAL)) {
      GangPolicy plan = new Replay(ArtifactOptimal.plan(market, job));
      return new ArtifactGang(market, job, false).run(witness.apply(plan));
    }
    GangPolicies.Entry entry = GangPolicies.named(policy);
    if (entry.oneZone()) {
      if (market.zones() != 1) {
        throw new BadInput(
            "%s runs in one zone, not in %d.".formatted(policy, market.zones()),
            "Maybe name one zone.");
      }
      GangPolicy guaranteed =
          SingleZoneGang.guaranteed(entry.maker().apply(market, Quirks.PUBLISHED));
      return new SingleZoneGang(market, job).run(witness.apply(guaranteed));
    }
    ArtifactGang gang = new ArtifactGang(market, job, policy.equals("UP(S)"));
    return gang.run(new ArtifactSafetyNet(make(entry, market, gang)), witness);
  }

  /** Returns the whole cost of a policy of appendix A.7, by its value of progress. */
  public static ArtifactOutcome run(PaceValue value, GangMarket trace, ArtifactCase given) {
    ArtifactGang gang = new ArtifactGang(window(trace, given), given.job(), false);
    GangPolicy policy = SkyNomad.learning(GangPolicies.pace(value), Quirks.PUBLISHED);
    return gang.run(new ArtifactSafetyNet(policy), UnaryOperator.identity());
  }

  private static GangPolicy make(GangPolicies.Entry entry, GangMarket market, ArtifactGang gang) {
    RunLengths lengths = RunLengths.of(market);
    // To look a lifetime up is to look at the zone, whose price is then known anew.
    RunLengths seeing =
        (Gang g, int zone) -> {
          gang.see(zone);
          return lengths.hours(g, zone);
        };
    return switch (entry.name()) {
      case "SkyNomad(o)" -> SkyNomad.knowing(seeing, GangPolicies.reference(), Quirks.PUBLISHED);
      case "SkyNomad(o)[rate_ratio]" ->
          SkyNomad.knowing(seeing, GangPolicies.pace(PaceValue.RATE_RATIO), Quirks.PUBLISHED);
      default -> entry.maker().apply(market, Quirks.PUBLISHED);
    };
  }

  private static GangMarket window(GangMarket trace, ArtifactCase given) {
    int ticks = (int) Math.ceil(given.job().deadlineSeconds() / trace.tickSeconds());
    return trace.window(given.startTick(), Math.min(trace.ticks() - given.startTick(), ticks));
  }

  /** The original then reports the dearest answer: all on demand, where that is cheapest. */
  private static ArtifactOutcome refused(GangMarket trace, ArtifactCase given) {
    double least = Double.POSITIVE_INFINITY;
    for (int z = 0; z < trace.zones(); z++) {
      least = Math.min(least, trace.onDemand(z));
    }
    double dollars = least * (given.jobHours() + given.restartHours());
    return new ArtifactOutcome(
        dollars, 0, new GangOutcome(false, 0, dollars, dollars, 0, 0, 0), false);
  }
}

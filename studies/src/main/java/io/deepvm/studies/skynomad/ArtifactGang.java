package io.deepvm.studies.skynomad;

import io.deepvm.base.BadInput;
import io.deepvm.simulator.gang.GangJob;
import io.deepvm.simulator.gang.GangMarket;
import io.deepvm.simulator.gang.GangOutcome;
import io.deepvm.simulator.gang.GangPolicy;
import io.deepvm.simulator.gang.GangSimulation;
import io.deepvm.simulator.gang.TickGang;
import java.util.function.UnaryOperator;

/**
 * The original's simulator of several zones, with its mistakes: a policy sees a zone's price as it
 * was when the zone was last tried, a probe of the zone that runs shortens its bill to a minute,
 * and the last tick is not reported.
 */
final class ArtifactGang extends TickGang {

  private final int[] seen;
  private final boolean asksForPrices;

  /**
   * @param asksForPrices whether the policy looks every price up anew, as only UP(S) does
   */
  ArtifactGang(GangMarket market, GangJob job, boolean asksForPrices) {
    super(market, job);
    this.asksForPrices = asksForPrices;
    this.seen = new int[market.zones()];
  }

  /** Runs a policy under the original's safety net. */
  ArtifactOutcome run(ArtifactSafetyNet net, UnaryOperator<GangPolicy> witness) {
    ArtifactOutcome outcome = run(witness.apply(net));
    return new ArtifactOutcome(
        outcome.publishedDollars(), outcome.publishedMigrations(), outcome.full(), net.isLatched());
  }

  /** Runs a policy without the safety net. */
  ArtifactOutcome run(GangPolicy policy) {
    policy.start(this);
    double reported = 0;
    int moves = 0;
    while (!finished()) {
      if (now() >= job().deadlineSeconds()) {
        throw new BadInput(
            "The original's simulator fails here: the deadline (%s s) is over."
                .formatted(job().deadlineSeconds()),
            "Maybe raise the deadline, or run it without --compat.");
      }
      policy.step(this);
      reported = dollars();
      moves = migrations();
      pass();
    }
    return new ArtifactOutcome(
        reported,
        moves,
        new GangOutcome(
            true, tick(), dollars(), reported, egressDollars(), probeDollars(), migrations()),
        false);
  }

  /** Dollars so far. */
  double paid() {
    return dollars();
  }

  @Override
  protected void bill() {
    boolean probedHere = mode() != Mode.NONE && probed(zone());
    if (mode() == Mode.SPOT) {
      double seconds = probedHere ? GangSimulation.PROBE_SECONDS : tickSeconds();
      charge(market().spot(zone(), tick()), seconds);
      if (probedHere) {
        noteProbe(zone(), market().spot(zone(), tick()), seconds);
      }
    } else if (mode() == Mode.ON_DEMAND) {
      charge(onDemandPrice(zone()), tickSeconds());
      if (probedHere) {
        noteProbe(zone(), onDemandPrice(zone()), tickSeconds());
      }
    }
    for (int z = 0; anyProbed() && z < zones(); z++) {
      if (probed(z) && z != zone()) {
        charge(market().spot(z, tick()), GangSimulation.PROBE_SECONDS);
        noteProbe(z, market().spot(z, tick()), GangSimulation.PROBE_SECONDS);
      }
    }
  }

  /** Makes the zone's price of this tick the one that policies see. */
  void see(int zone) {
    seen[zone] = tick();
  }

  @Override
  public boolean launchSpot(int zone) {
    see(zone);
    return super.launchSpot(zone);
  }

  @Override
  public boolean probe(int zone) {
    see(zone);
    return super.probe(zone);
  }

  @Override
  public double spotPrice(int zone) {
    return market().spot(zone, asksForPrices ? tick() : seen[zone]);
  }
}

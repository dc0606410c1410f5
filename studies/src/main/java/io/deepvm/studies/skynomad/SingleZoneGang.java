package io.deepvm.studies.skynomad;

import io.deepvm.base.BadInput;
import io.deepvm.simulator.gang.Gang;
import io.deepvm.simulator.gang.GangJob;
import io.deepvm.simulator.gang.GangMarket;
import io.deepvm.simulator.gang.GangOutcome;
import io.deepvm.simulator.gang.GangPolicy;
import io.deepvm.simulator.gang.TickGang;

/** The original's simulator of one zone, which bills every tick at the price of the next one. */
final class SingleZoneGang extends TickGang {

  SingleZoneGang(GangMarket market, GangJob job) {
    super(market, job);
  }

  /** Runs the policy under the original's guarantee, which keeps spot that works to the end. */
  ArtifactOutcome run(GangPolicy policy) {
    policy.start(this);
    while (!finished()) {
      if (now() >= job().deadlineSeconds()) {
        throw new BadInput(
            "The original's simulator fails here: the deadline (%s s) is over."
                .formatted(job().deadlineSeconds()),
            "Maybe raise the deadline, or run it without --compat.");
      }
      policy.step(this);
      pass();
    }
    return new ArtifactOutcome(
        dollars(), 0, new GangOutcome(true, tick(), dollars(), dollars(), 0, 0, 0), false);
  }

  /** Puts the original's guarantee around a policy. */
  static GangPolicy guaranteed(GangPolicy policy) {
    return gang -> {
      double tick = gang.tickSeconds();
      double time = Math.floor((gang.job().deadlineSeconds() - gang.now()) / tick) * tick;
      if (Math.ceil((gang.left() + gang.job().restartSeconds()) / tick) * tick < time) {
        policy.step(gang);
      } else if (gang.mode() != Gang.Mode.SPOT || gang.overheadLeft() >= 1e-3) {
        gang.launchOnDemand(0);
      }
    };
  }

  /** Dollars so far. */
  double paid() {
    return dollars();
  }

  @Override
  protected void bill() {
    if (mode() == Mode.SPOT) {
      charge(market().spot(0, tick() + 1), tickSeconds());
    } else if (mode() == Mode.ON_DEMAND) {
      charge(onDemandPrice(0), tickSeconds());
    }
  }

  @Override
  public double spotPrice(int zone) {
    return market().spot(zone, tick());
  }
}

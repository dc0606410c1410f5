package io.deepvm.simulator.gang;

import io.deepvm.base.BadInput;

/** Lives one job through a market, with true prices and every tick and probe paid. */
public final class GangSimulation extends TickGang {

  /** A probe that succeeds is paid this long. */
  public static final double PROBE_SECONDS = 60;

  private final int lastTick;

  private GangSimulation(GangMarket market, GangJob job) {
    super(market, job);
    this.lastTick = job.ticks(market.tickSeconds());
  }

  /** Runs the job under a policy that is kept from missing the deadline. */
  public static GangOutcome run(GangMarket market, GangJob job, GangPolicy policy) {
    return runUnguarded(market, job, new DeadlineGuard(policy));
  }

  /** Runs the job under the policy alone, which may then be late. */
  public static GangOutcome runUnguarded(GangMarket market, GangJob job, GangPolicy policy) {
    checkFeasible(market, job);
    return new GangSimulation(market, job).run(policy);
  }

  /** Refuses a job that would be late on demand from the first tick on, or outlives the market. */
  static void checkFeasible(GangMarket market, GangJob job) {
    int ticks = job.ticks(market.tickSeconds());
    double atBest = ticks * market.tickSeconds() - job.restartSeconds();
    if (job.workSeconds() - GangJob.NOTHING_SECONDS > atBest) {
      throw new BadInput(
          "Work of %s s after a restart of %s s does not fit before the deadline (%s s, %d ticks)."
              .formatted(job.workSeconds(), job.restartSeconds(), job.deadlineSeconds(), ticks),
          "Maybe raise the deadline.");
    }
    if (ticks > market.ticks()) {
      throw new BadInput(
          "The deadline is %d ticks away, but the market ends after %d."
              .formatted(ticks, market.ticks()),
          "Maybe start earlier, or shorten the deadline.");
    }
  }

  private GangOutcome run(GangPolicy policy) {
    policy.start(this);
    double before = 0;
    while (!finished() && tick() < lastTick) {
      policy.step(this);
      before = dollars();
      pass();
    }
    return new GangOutcome(
        finished(), tick(), dollars(), before, egressDollars(), probeDollars(), migrations());
  }

  @Override
  protected void bill() {
    if (mode() == Mode.SPOT) {
      charge(market().spot(zone(), tick()), tickSeconds());
    } else if (mode() == Mode.ON_DEMAND) {
      charge(onDemandPrice(zone()), tickSeconds());
    }
    for (int z = 0; anyProbed() && z < zones(); z++) {
      if (probed(z)) {
        double price = market().spot(z, tick());
        charge(price, PROBE_SECONDS);
        noteProbe(z, price, PROBE_SECONDS);
      }
    }
  }

  /** Where spot runs, nothing needs to be tried and nothing is paid. */
  @Override
  public boolean probe(int zone) {
    return (mode() == Mode.SPOT && zone() == zone) || super.probe(zone);
  }

  @Override
  public double spotPrice(int zone) {
    return market().spot(zone, tick());
  }
}

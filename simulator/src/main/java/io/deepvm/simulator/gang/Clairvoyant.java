package io.deepvm.simulator.gang;

import java.util.List;

/** Knows the market of the next while and does what is cheapest in it. */
final class Clairvoyant implements GangPolicy {

  private final GangMarket market;
  private final double foresight;
  private Replay replay = new Replay(List.of());

  /**
   * Looks ahead for this many times the work with a restart: tables grow with the square of that.
   */
  Clairvoyant(GangMarket market, double foresight) {
    this.market = market;
    this.foresight = foresight;
  }

  @Override
  public void start(Gang gang) {
    GangJob job = gang.job();
    double end =
        Math.min(job.deadlineSeconds(), foresight * (job.workSeconds() + job.restartSeconds()));
    replay =
        new Replay(
            GangBound.plan(
                market,
                new GangJob(job.workSeconds(), end, job.restartSeconds(), job.checkpointGb())));
  }

  @Override
  public void step(Gang gang) {
    replay.step(gang);
  }
}

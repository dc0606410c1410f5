package io.deepvm.simulator.gang;

import java.util.List;

/** Knows the whole market and does what is cheapest in it. */
final class Clairvoyant implements GangPolicy {

  private final GangMarket market;
  private Replay replay = new Replay(List.of());

  Clairvoyant(GangMarket market) {
    this.market = market;
  }

  @Override
  public void start(Gang gang) {
    replay = new Replay(GangBound.plan(market, gang.job()));
  }

  @Override
  public void step(Gang gang) {
    replay.step(gang);
  }
}

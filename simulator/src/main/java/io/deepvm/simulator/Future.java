package io.deepvm.simulator;

import io.deepvm.market.SpotMarket;
import io.deepvm.units.BadInput;

/** One course the market may take, from one of its ticks on. */
public record Future(SpotMarket market, int firstTick) {

  /** A supply of courses, each the same whenever it is asked for. */
  public interface Source {

    /** Returns the course of a run; the seed is the run's own. */
    Future of(int run, long seed);
  }

  /**
   * Returns runs that begin at starts spread evenly over a market's record, so that each has so
   * many seconds ahead of it.
   */
  public static Source starts(SpotMarket market, int runs, double aheadSeconds) {
    int ahead = (int) Math.ceil(aheadSeconds / market.tickSeconds());
    int last = market.ticks() - ahead;
    if (last < 0) {
      throw new BadInput(
          "The market's record is %.1f h long, and a run may need %.1f h."
              .formatted(market.ticks() * market.tickSeconds() / 3600, aheadSeconds / 3600),
          "Maybe take a longer record, or let runs be drawn from it by --draw bootstrap.");
    }
    return (run, seed) ->
        new Future(market, runs == 1 ? 0 : (int) Math.round((double) last * run / (runs - 1)));
  }
}

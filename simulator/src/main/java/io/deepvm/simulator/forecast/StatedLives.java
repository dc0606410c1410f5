package io.deepvm.simulator.forecast;

import io.deepvm.market.Dependence;
import io.deepvm.market.Trace;
import io.deepvm.market.interruption.Band;
import io.deepvm.market.survival.CapacityModel;
import io.deepvm.market.survival.Family;
import io.deepvm.market.survival.LifetimeModel;
import io.deepvm.market.survival.Lifetimes;

/** Lives of spot nodes whose band of interruptions is stated. */
public final class StatedLives {

  private StatedLives() {}

  /** Returns a node that is lost as a band says and is away as long as a lender's. */
  public static CapacityModel of(Band band, Trace lender) {
    double up = band.hoursPerLoss();
    double down = Lifetimes.down(lender).hoursPerEnd();
    return new CapacityModel(
        lender.asked() == 1 ? lender : lender.scaled(1),
        new LifetimeModel(Family.EXPONENTIAL, up, 1),
        new LifetimeModel(Family.EXPONENTIAL, down, 1),
        up / (up + down),
        Dependence.MEASURED);
  }
}

package io.deepvm.simulator.gang;

/**
 * Lets a policy do what it likes while that cannot cost the deadline, then keeps what runs as long
 * as that is safe, and ends on demand.
 *
 * <p>With k ticks to go, on demand from now on does k ticks less one restart. A tick without work
 * shrinks that margin by a tick; a tick of spot at full speed does not, so that healthy spot is
 * kept until the market takes it. Once there is less than a tick of margin, there never is again.
 */
public final class DeadlineGuard implements GangPolicy {

  private final GangPolicy policy;

  public DeadlineGuard(GangPolicy policy) {
    this.policy = policy;
  }

  @Override
  public void start(Gang gang) {
    policy.start(gang);
  }

  @Override
  public void step(Gang gang) {
    double tick = gang.tickSeconds();
    double margin =
        (gang.job().ticks(tick) - gang.tick()) * tick
            - gang.job().restartSeconds()
            - gang.left()
            + GangJob.NOTHING_SECONDS;
    if (margin >= tick) {
      policy.step(gang);
      return;
    }
    switch (gang.mode()) {
      case ON_DEMAND -> {}
      case SPOT -> {
        double lost = Math.min(gang.overheadLeft(), tick);
        if (margin < lost) {
          gang.launchOnDemand(gang.zone());
        }
      }
      case NONE -> gang.launchOnDemand(cheapestOnDemand(gang));
    }
  }

  /**
   * Returns where the rest of the work is cheapest on demand, with the checkpoint carried there.
   */
  public static int cheapestOnDemand(Gang gang) {
    int best = 0;
    double least = Double.POSITIVE_INFINITY;
    for (int z = 0; z < gang.zones(); z++) {
      double dollars = gang.onDemandPrice(z) * gang.left() / 3600;
      if (gang.leader() != Gang.NOWHERE && gang.leader() != z) {
        dollars += gang.egress(gang.leader(), z);
      }
      if (dollars < least) {
        least = dollars;
        best = z;
      }
    }
    return best;
  }
}

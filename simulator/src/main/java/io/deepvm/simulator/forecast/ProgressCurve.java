package io.deepvm.simulator.forecast;

import io.deepvm.market.SpotMarket;
import io.deepvm.simulator.Scenario;
import java.util.Arrays;

/**
 * How far a plan's cluster gets on one course of a market, and what it pays, tick by tick. Each
 * lost spot worker is replaced where it was lost.
 *
 * <p>A cluster that runs all the time is followed once. A run that begins at some tick is then a
 * piece of these curves: it ends where the work that lasts has grown by the run's work. Work that a
 * loss undoes does not count, but a run that ends before the loss is done with it.
 */
final class ProgressCurve {

  private final double[] usd;
  private final double[] lasting;
  private final double[] reached;
  private final double[] stalled;
  private final double[] lost;
  private final boolean[] staffed;
  private final int[] held;

  private ProgressCurve(int ticks) {
    usd = new double[ticks + 1];
    lasting = new double[ticks + 1];
    reached = new double[ticks + 1];
    stalled = new double[ticks + 1];
    lost = new double[ticks + 1];
    staffed = new boolean[ticks];
    held = new int[ticks];
  }

  /**
   * Follows a cluster through a market.
   *
   * @param spot how many spot workers are wanted in each pool
   * @param onDemand how many workers stay in each pool
   */
  static ProgressCurve of(Scenario scenario, SpotMarket market, int[] spot, int[] onDemand) {
    ProgressCurve curve = new ProgressCurve(market.ticks());
    new Walk(curve, scenario, market, spot, onDemand).walk();
    return curve;
  }

  int ticks() {
    return staffed.length;
  }

  /** Whether nodes are there at the begin of a tick. */
  boolean isStaffed(int tick) {
    return staffed[tick];
  }

  /** Returns the nodes at the begin of a tick that were there before. */
  int held(int tick) {
    return held[tick];
  }

  /** Returns the tick, with a fraction, at which a run is done; infinite if it never is. */
  double end(double begin, double work) {
    double target = at(lasting, begin) + work;
    int from = (int) begin;
    if (reached[ticks()] < target) {
      return Double.POSITIVE_INFINITY;
    }
    int found = Arrays.binarySearch(reached, from + 1, ticks() + 1, target);
    int last = found >= 0 ? found : -found - 1;
    double before = last - 1 == from ? at(lasting, begin) : reached[last - 1];
    double gained = reached[last] - before;
    double share = gained <= 0 ? 1 : Math.max(0, target - before) / gained;
    double origin = Math.max(begin, last - 1);
    return origin + share * (last - origin);
  }

  /** Returns the dollars between two moments, in ticks. */
  double usd(double begin, double end) {
    return at(usd, end) - at(usd, begin);
  }

  /** Returns the seconds between two moments in which members stalled. */
  double stalled(double begin, double end) {
    return at(stalled, end) - at(stalled, begin);
  }

  /** Returns the seconds between two moments of training that was lost. */
  double lost(double begin, double end) {
    return at(lost, end) - at(lost, begin);
  }

  private double at(double[] sums, double tick) {
    int whole = (int) Math.min(tick, sums.length - 2);
    return sums[whole] + (tick - whole) * (sums[whole + 1] - sums[whole]);
  }

  /** One pass over the market that fills the curves. */
  private static final class Walk {

    private final ProgressCurve curve;
    private final Scenario scenario;
    private final SpotMarket market;
    private final int[] spot;
    private final LossRule losses;
    private final int stay;
    private final double steadyUsdPerHour;
    private final double bootSeconds;

    // Work and seconds of training of each tick, before anything is lost.
    private final double[] gained;
    private final double[] trainedIn;
    private final double[] doomed;
    private final boolean[] loses;
    private final int[] held;

    // Nodes that join in each tick, this long after it began; a boot may outlast ticks.
    private final int[] arriving;
    private final int bootTicks;
    private final double bootRest;
    private int up;

    // Seconds until the members form, and of training since the state was last loaded.
    private double forming;
    private double trained;
    private boolean cold;

    Walk(ProgressCurve curve, Scenario scenario, SpotMarket market, int[] spot, int[] onDemand) {
      this.curve = curve;
      this.scenario = scenario;
      this.market = market;
      this.spot = spot;
      losses = LossRule.of(scenario.checkpointing());
      stay = Arrays.stream(onDemand).sum();
      double steady = scenario.anchorsPerHour().dollars();
      for (int p = 0; p < onDemand.length; p++) {
        steady += onDemand[p] * market.onDemandUsdPerHour(p);
      }
      steadyUsdPerHour = steady;
      bootSeconds = scenario.startup().spotBootSeconds();
      gained = new double[market.ticks()];
      trainedIn = new double[market.ticks()];
      doomed = new double[market.ticks()];
      loses = new boolean[market.ticks()];
      held = new int[spot.length];
      bootTicks = (int) (bootSeconds / market.tickSeconds());
      bootRest = bootSeconds - bootTicks * market.tickSeconds();
      arriving = new int[market.ticks() + bootTicks + 1];
    }

    void walk() {
      for (int p = 0; p < spot.length; p++) {
        held[p] = Math.min(spot[p], market.available(p, 0));
        up += held[p];
      }
      for (int t = 0; t < market.ticks(); t++) {
        tick(t);
      }
      sum();
    }

    private void tick(int t) {
      int lost = 0;
      int asked = 0;
      int now = 0;
      double usdPerHour = steadyUsdPerHour;
      int losing = 0;
      for (int p = 0; p < spot.length; p++) {
        int next = Math.min(spot[p], market.available(p, t));
        lost += Math.max(0, held[p] - next);
        asked += Math.max(0, next - held[p]);
        now += next;
        losing = next < held[p] ? p : losing;
        usdPerHour += next * market.spotUsdPerHour(p, t);
        held[p] = next;
      }
      double tickSeconds = market.tickSeconds();
      usdPerHour += (now + stay) * scenario.billing().diskUsdPerNodeHour();
      curve.usd[t + 1] =
          curve.usd[t] + usdPerHour * tickSeconds / 3600 + asked * scenario.billing().usdPerBoot();
      curve.staffed[t] = now + stay > 0;
      curve.held[t] = now - asked + stay;
      int before = up;
      up -= lost - takeBooting(t, lost);
      arriving[t + bootTicks] += asked;
      if (up + stay == 0 && before > 0) {
        lose(t, losses.lostSeconds(trained, before, market.notice(losing), tickSeconds));
        trained = 0;
        forming = 0;
        cold = true;
      } else if (up < before) {
        forming += scenario.startup().reformSeconds();
      }
      int joining = arriving[t];
      train(t, joining > 0 ? bootRest : tickSeconds, up + stay);
      if (joining > 0) {
        forming +=
            scenario.startup().reformSeconds()
                + (cold ? scenario.checkpointing().restoreSeconds() : 0);
        cold = false;
        up += joining;
        train(t, tickSeconds - bootRest, up + stay);
      }
    }

    /** Takes nodes that still boot, the youngest first; returns how many there were. */
    private int takeBooting(int t, int lost) {
      int taken = 0;
      for (int i = t + bootTicks - 1; i >= t && taken < lost; i--) {
        int some = Math.min(arriving[i], lost - taken);
        arriving[i] -= some;
        taken += some;
      }
      return taken;
    }

    private void train(int t, double seconds, int members) {
      if (members == 0 || cold) {
        return;
      }
      double idle = Math.min(forming, seconds);
      forming -= idle;
      double up = seconds - idle;
      double training = up * losses.trainingShare();
      curve.stalled[t + 1] += up - training;
      double speed = speed(members);
      curve.usd[t + 1] += traffic(members) * training / 3600;
      trainedIn[t] += training;
      trained += training;
      gained[t] += training * speed * (1 - crashed(members));
    }

    private double speed(int members) {
      return scenario.throughput().unitsPerSecond(new int[] {members});
    }

    private double traffic(int members) {
      return scenario.throughput().trafficUsdPerHour(new int[] {members});
    }

    /** Returns the share of progress that crashes cost. */
    private double crashed(int members) {
      double crashing = members - (scenario.anchorPool() >= 0 ? 1 : 0);
      double perSecond = market.crashesPerNodeHour(0) * crashing / 3600;
      double speed = speed(members);
      // Fewer members than a split model needs make no progress that a crash could cost.
      if (crashing <= 0 || perSecond == 0 || speed <= 0) {
        return 0;
      }
      double reform = scenario.startup().reformSeconds();
      double each =
          members == 1
              ? bootSeconds + reform + scenario.checkpointing().restoreSeconds() + losses.usual()
              : 2 * reform + bootSeconds * (1 - speed(members - 1) / speed);
      return Math.min(1, perSecond * each);
    }

    /** Takes the last seconds of training before a tick back. */
    private void lose(int t, double seconds) {
      loses[t] = true;
      double left = seconds;
      for (int i = t - 1; i >= 0 && left > 0; i--) {
        double share = trainedIn[i] <= left ? 1 : left / trainedIn[i];
        doomed[i] = gained[i] * share;
        curve.lost[i + 1] += trainedIn[i] * share;
        left -= trainedIn[i];
      }
    }

    private void sum() {
      double ahead = 0;
      double most = 0;
      for (int t = 0; t < gained.length; t++) {
        curve.lasting[t + 1] = curve.lasting[t] + gained[t] - doomed[t];
        // Doomed work adds up until the loss, after which training begins behind it.
        ahead = doomed[t] + (loses[t] ? 0 : ahead);
        most = Math.max(most, curve.lasting[t + 1] + ahead);
        curve.reached[t + 1] = most;
        curve.stalled[t + 1] += curve.stalled[t];
        curve.lost[t + 1] += curve.lost[t];
      }
    }
  }
}

package io.deepvm.simulator.gang;

/**
 * Values of progress that follow from the pace alone: a function of work and time left times the
 * least on-demand price, never below the least spot price.
 *
 * <p>The rate ratio is SkyNomad's own; the others are the ablation of its appendix A.7.
 */
public enum PaceValue implements Valuation {
  RATE_RATIO {
    @Override
    double value(GangJob job, double done, double now, double price) {
      double deadline = job.deadlineSeconds();
      double left = job.workSeconds() - done;
      return price * (left * deadline) / ((deadline - now) * job.workSeconds());
    }
  },
  LOG_BARRIER {
    @Override
    double value(GangJob job, double done, double now, double price) {
      return price * pressure(job, done, now);
    }
  },
  SQUARE_ROOT {
    @Override
    double value(GangJob job, double done, double now, double price) {
      return price * Math.sqrt(pressure(job, done, now));
    }
  },
  EXPONENTIAL {
    @Override
    double value(GangJob job, double done, double now, double price) {
      double above = pressure(job, done, now) - 1;
      return price * Math.exp(Math.max(-20, Math.min(20, above)));
    }
  },
  QUADRATIC {
    @Override
    double value(GangJob job, double done, double now, double price) {
      return price
          * now
          / (job.deadlineSeconds() - now)
          * (job.workSeconds() - done)
          / job.workSeconds();
    }
  },
  TIME_ONLY {
    @Override
    double value(GangJob job, double done, double now, double price) {
      return price * now / (job.deadlineSeconds() - now);
    }
  },
  DRIFT_PLUS_PENALTY {
    @Override
    double value(GangJob job, double done, double now, double price) {
      double behind = job.workSeconds() * now / job.deadlineSeconds() - done;
      return price * (1 + Math.max(0, behind) / (job.workSeconds() - done));
    }
  };

  abstract double value(GangJob job, double done, double now, double price);

  /** How much faster than evenly the rest has to be done. */
  private static double pressure(GangJob job, double done, double now) {
    double deadline = job.deadlineSeconds();
    double work = job.workSeconds();
    return deadline * (work - done) / ((deadline - now) * work);
  }

  @Override
  public double dollarsPerHour(Gang gang, Outlook outlook) {
    double leastOnDemand = Double.POSITIVE_INFINITY;
    double leastSpot = Double.POSITIVE_INFINITY;
    for (int z = 0; z < gang.zones(); z++) {
      leastOnDemand = Math.min(leastOnDemand, gang.onDemandPrice(z));
      leastSpot = Math.min(leastSpot, gang.spotPrice(z));
    }
    return Math.max(value(gang.job(), gang.done(), gang.now(), leastOnDemand), leastSpot);
  }
}

package io.deepvm.simulator;

import io.deepvm.units.Money;
import java.util.EnumMap;
import java.util.Map;

/** What many runs cost, took and wasted, by the number of the run. */
public final class Sample {

  private static final Charge[] CHARGES = Charge.values();
  private static final Activity[] ACTIVITIES = Activity.values();

  private final double[] usd;
  private final double[] seconds;
  private final boolean[] finished;
  private final boolean[] late;
  private final int[] revocations;
  private final int[] checkpoints;
  private final double[][] bill;
  private final double[][] use;
  private final double[][] nodeSeconds;

  Sample(int runs) {
    usd = new double[runs];
    seconds = new double[runs];
    finished = new boolean[runs];
    late = new boolean[runs];
    revocations = new int[runs];
    checkpoints = new int[runs];
    bill = new double[CHARGES.length][runs];
    use = new double[ACTIVITIES.length][runs];
    nodeSeconds = new double[ACTIVITIES.length][runs];
  }

  /** Each run has its own slots, so threads may put different runs at once. */
  void put(int run, Outcome outcome) {
    usd[run] = outcome.cost().dollars();
    seconds[run] = outcome.seconds();
    finished[run] = outcome.finished();
    late[run] = !outcome.metDeadline();
    revocations[run] = outcome.revocations();
    checkpoints[run] = outcome.checkpoints();
    for (int c = 0; c < CHARGES.length; c++) {
      bill[c][run] = outcome.bill().getOrDefault(CHARGES[c], Money.ZERO).dollars();
    }
    for (int a = 0; a < ACTIVITIES.length; a++) {
      use[a][run] = outcome.use().getOrDefault(ACTIVITIES[a], Money.ZERO).dollars();
      nodeSeconds[a][run] = outcome.nodeSeconds().getOrDefault(ACTIVITIES[a], 0.0);
    }
  }

  public int runs() {
    return usd.length;
  }

  /** Dollars of a run. */
  public double usd(int run) {
    return usd[run];
  }

  /** Whether a run was done in time. */
  public boolean met(int run) {
    return !late[run];
  }

  public Quantiles cost() {
    return new Quantiles(usd);
  }

  /** Seconds until done; of runs that never were, until the record's end. */
  public Quantiles makespan() {
    return new Quantiles(seconds);
  }

  public Quantiles losses() {
    double[] counts = new double[revocations.length];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = revocations[i];
    }
    return new Quantiles(counts);
  }

  /** How many runs were not done when the market's record ended. */
  public int unfinished() {
    int count = 0;
    for (boolean f : finished) {
      count += f ? 0 : 1;
    }
    return count;
  }

  /** The share of runs that missed the deadline. */
  public double missed() {
    int count = 0;
    for (boolean l : late) {
      count += l ? 1 : 0;
    }
    return (double) count / late.length;
  }

  /** Where the 95 % Wilson interval of the share that missed begins and ends. */
  public double[] missedInterval() {
    double z = 1.959964;
    double n = late.length;
    double share = missed();
    double middle = (share + z * z / (2 * n)) / (1 + z * z / n);
    double half = z / (1 + z * z / n) * Math.sqrt(share * (1 - share) / n + z * z / (4 * n * n));
    // The ends are known where no run, or every run, missed; the formula is off by rounding there.
    return new double[] {
      share == 0 ? 0 : Math.max(0, middle - half), share == 1 ? 1 : Math.min(1, middle + half)
    };
  }

  /** Mean number of checkpoints a run. */
  public double checkpoints() {
    double sum = 0;
    for (int c : checkpoints) {
      sum += c;
    }
    return sum / checkpoints.length;
  }

  /** Mean dollars of a run by what was paid for. */
  public Map<Charge, Double> meanBill() {
    Map<Charge, Double> means = new EnumMap<>(Charge.class);
    for (int c = 0; c < CHARGES.length; c++) {
      means.put(CHARGES[c], mean(bill[c]));
    }
    return means;
  }

  /** Mean dollars of a run by what the nodes did. */
  public Map<Activity, Double> meanUse() {
    return means(use);
  }

  /** Mean paid node seconds of a run by what the nodes did. */
  public Map<Activity, Double> meanNodeSeconds() {
    return means(nodeSeconds);
  }

  private static Map<Activity, Double> means(double[][] values) {
    Map<Activity, Double> means = new EnumMap<>(Activity.class);
    for (int a = 0; a < ACTIVITIES.length; a++) {
      means.put(ACTIVITIES[a], mean(values[a]));
    }
    return means;
  }

  private static double mean(double[] values) {
    double sum = 0;
    for (double v : values) {
      sum += v;
    }
    return sum / values.length;
  }
}

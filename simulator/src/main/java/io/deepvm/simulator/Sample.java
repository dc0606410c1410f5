package io.deepvm.simulator;

import io.deepvm.base.Money;
import io.deepvm.base.Quantiles;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of many runs, by the number of the run.
 *
 * <p>A run that is not done by the horizon has no total cost and no duration. So the runs that were
 * done and the runs that were not have separate statistics, and no mean mixes them.
 */
public final class Sample {

  /** Standard normal deviate of a two-sided 95 % interval. */
  private static final double Z95 = 1.959964;

  private static final Charge[] CHARGES = Charge.values();
  private static final Activity[] ACTIVITIES = Activity.values();

  private final double horizonSeconds;
  private final int kinds;
  private final double[] usd;
  private final double[] seconds;
  private final boolean[] finished;
  private final boolean[] late;
  private final double[] revocations;
  private final double[][] bill;
  private final double[][] use;
  private final double[][] nodeSeconds;

  Sample(int runs, double horizonSeconds) {
    this(runs, horizonSeconds, 1);
  }

  /**
   * Makes room for runs.
   *
   * @param kinds of courses that the runs take by turns, each of which may be the true one
   */
  Sample(int runs, double horizonSeconds, int kinds) {
    this.horizonSeconds = horizonSeconds;
    this.kinds = kinds;
    usd = new double[runs];
    seconds = new double[runs];
    finished = new boolean[runs];
    late = new boolean[runs];
    revocations = new double[runs];
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
    for (int c = 0; c < CHARGES.length; c++) {
      bill[c][run] = outcome.bill().getOrDefault(CHARGES[c], Money.ZERO).dollars();
    }
    for (int a = 0; a < ACTIVITIES.length; a++) {
      use[a][run] = outcome.use().getOrDefault(ACTIVITIES[a], Money.ZERO).dollars();
      nodeSeconds[a][run] = outcome.nodeSeconds().getOrDefault(ACTIVITIES[a], 0.0);
    }
  }

  /** Writes the outcomes of some runs. */
  void write(RunRange part, DataOutput out) throws IOException {
    out.writeDouble(horizonSeconds);
    out.writeInt(kinds);
    List<double[]> columns = columns();
    for (int run = part.from(); run < part.to(); run++) {
      out.writeBoolean(finished[run]);
      out.writeBoolean(late[run]);
      for (double[] column : columns) {
        out.writeDouble(column[run]);
      }
    }
  }

  /** Reads what {@link #write} wrote into the slots of these runs. */
  void read(RunRange part, DataInput in) throws IOException {
    if (in.readDouble() != horizonSeconds || in.readInt() != kinds) {
      throw new IOException("the parts were made of different markets");
    }
    List<double[]> columns = columns();
    for (int run = part.from(); run < part.to(); run++) {
      finished[run] = in.readBoolean();
      late[run] = in.readBoolean();
      for (double[] column : columns) {
        column[run] = in.readDouble();
      }
    }
  }

  private List<double[]> columns() {
    List<double[]> all = new ArrayList<>(List.of(usd, seconds, revocations));
    all.addAll(List.of(bill));
    all.addAll(List.of(use));
    all.addAll(List.of(nodeSeconds));
    return all;
  }

  public int runs() {
    return usd.length;
  }

  /** Returns the time after which a run is given up. */
  public double horizonSeconds() {
    return horizonSeconds;
  }

  /** Returns the dollars of a run; of a run that was not done, the dollars until the horizon. */
  public double usd(int run) {
    return usd[run];
  }

  /** Whether a run was done in time. */
  public boolean met(int run) {
    return !late[run];
  }

  /** Returns the number of runs that were done by the horizon. */
  public int finished() {
    return count(finished);
  }

  /** Returns the number of runs that were not done by the horizon. */
  public int unfinished() {
    return runs() - finished();
  }

  /** Returns the statistics of the runs that were done by the horizon; null when none was. */
  public @Nullable RunStatistics done() {
    return statistics(true);
  }

  /** Returns the statistics of the runs that were not done by the horizon; null when all were. */
  public @Nullable RunStatistics notDone() {
    return statistics(false);
  }

  /** Returns the mean dollars of the runs that were done; infinite when none was. */
  public double meanUsd() {
    RunStatistics done = done();
    return done == null ? Double.POSITIVE_INFINITY : done.cost().mean();
  }

  /**
   * Returns the dollars that a share of all runs does not exceed. A run that was not done counts as
   * infinitely dear.
   */
  public double usdAt(double share) {
    return atMost(usd, share);
  }

  /**
   * Returns the seconds that a share of all runs does not exceed. A run that was not done counts as
   * infinitely long.
   */
  public double secondsAt(double share) {
    return atMost(seconds, share);
  }

  /** Returns the run of median cost among those that were done, or among all when none was. */
  public int medianRun() {
    boolean any = finished() > 0;
    int[] runs = IntStream.range(0, runs()).filter(run -> finished[run] || !any).toArray();
    return Arrays.stream(runs)
        .boxed()
        .sorted(Comparator.comparingDouble(this::usd))
        .skip((runs.length - 1) / 2)
        .findFirst()
        .orElseThrow();
  }

  /** Returns the share of all runs that missed the deadline or were not done. */
  public double missed() {
    return (double) count(late) / runs();
  }

  /**
   * Returns the ends of the 95 % interval of the share that missed: a Wilson interval, or where
   * courses are of several kinds the range of the Wilson intervals of all kinds.
   */
  public double[] missedInterval() {
    return interval(late, true);
  }

  /** Returns the share of all runs that were not done by the horizon. */
  public double unfinishedShare() {
    return (double) unfinished() / runs();
  }

  /** Returns the ends of the 95 % interval of the share that was not done, made likewise. */
  public double[] unfinishedInterval() {
    return interval(finished, false);
  }

  private double[] interval(boolean[] flags, boolean counted) {
    double low = 1;
    double high = 0;
    for (int kind = 0; kind < Math.min(kinds, runs()); kind++) {
      int count = 0;
      int of = 0;
      for (int run = kind; run < runs(); run += kinds) {
        count += flags[run] == counted ? 1 : 0;
        of++;
      }
      double[] one = wilson(count, of);
      low = Math.min(low, one[0]);
      high = Math.max(high, one[1]);
    }
    return new double[] {low, high};
  }

  private static double[] wilson(int count, int runs) {
    double n = runs;
    double share = count / n;
    double middle = (share + Z95 * Z95 / (2 * n)) / (1 + Z95 * Z95 / n);
    double half =
        Z95 / (1 + Z95 * Z95 / n) * Math.sqrt(share * (1 - share) / n + Z95 * Z95 / (4 * n * n));
    // The ends are known where the count is nothing or all; the formula is off by rounding there.
    return new double[] {
      count == 0 ? 0 : Math.max(0, middle - half), count == runs ? 1 : Math.min(1, middle + half)
    };
  }

  private double atMost(double[] values, double share) {
    double[] all = values.clone();
    for (int run = 0; run < all.length; run++) {
      all[run] = finished[run] ? all[run] : Double.POSITIVE_INFINITY;
    }
    return new Quantiles(all).at(share);
  }

  private @Nullable RunStatistics statistics(boolean whetherDone) {
    int[] runs = IntStream.range(0, runs()).filter(r -> finished[r] == whetherDone).toArray();
    if (runs.length == 0) {
      return null;
    }
    Map<Charge, Double> charges = new EnumMap<>(Charge.class);
    for (int c = 0; c < CHARGES.length; c++) {
      charges.put(CHARGES[c], mean(bill[c], runs));
    }
    return new RunStatistics(
        new Quantiles(of(usd, runs)),
        new Quantiles(of(seconds, runs)),
        new Quantiles(of(revocations, runs)),
        charges,
        means(use, runs),
        means(nodeSeconds, runs));
  }

  private static Map<Activity, Double> means(double[][] values, int[] runs) {
    Map<Activity, Double> means = new EnumMap<>(Activity.class);
    for (int a = 0; a < ACTIVITIES.length; a++) {
      means.put(ACTIVITIES[a], mean(values[a], runs));
    }
    return means;
  }

  private static double mean(double[] values, int[] runs) {
    return Arrays.stream(of(values, runs)).average().orElseThrow();
  }

  private static double[] of(double[] values, int[] runs) {
    return Arrays.stream(runs).mapToDouble(run -> values[run]).toArray();
  }

  private static int count(boolean[] flags) {
    int count = 0;
    for (boolean flag : flags) {
      count += flag ? 1 : 0;
    }
    return count;
  }
}

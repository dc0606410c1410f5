package io.deepvm.studies.skynomad;

import io.deepvm.simulator.gang.Gang.Mode;
import io.deepvm.simulator.gang.GangJob;
import io.deepvm.simulator.gang.GangMarket;
import io.deepvm.simulator.gang.Replay;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * The plan that the original calls optimal: dynamic programming over whole ticks.
 *
 * <p>It is no bound: a restart is rounded up to whole ticks, and time to carry the checkpoint is
 * counted that the simulator does not count. Among equally cheap states the first one found is
 * kept, and the order in which they are found decides; so layers are lists in that order, beside
 * arrays that find a state by its key.
 */
final class ArtifactOptimal {

  private static final double HOUR = 3600;

  private final GangMarket market;
  private final int zones;
  private final int ticks;
  private final int work;
  private final double hoursPerTick;
  private final double mostDollars;

  /** Overhead ticks, and dollars, from a zone (or from the start, the last row) to another. */
  private final int[][] overhead;

  private final double[][] egress;
  private final int overheads;

  // The layer that is read and the one that is written, as lists in the order of finding.
  private int[] keys;
  private double[] costs;
  private int size;
  private int[] nextKeys;
  private double[] nextCosts;
  private int[] nextFrom;
  private int nextSize;
  private final int[] slot;

  private ArtifactOptimal(GangMarket market, GangJob job) {
    this.market = market;
    this.zones = market.zones();
    double tick = market.tickSeconds();
    double restart = job.restartSeconds();
    this.ticks = (int) Math.floor(job.deadlineSeconds() / tick);
    this.work = (int) Math.ceil(job.workSeconds() / tick);
    this.hoursPerTick = tick / HOUR;
    int here = (int) Math.ceil(restart / tick);
    this.overhead = new int[zones + 1][zones];
    this.egress = new double[zones + 1][zones];
    int most = here;
    double least = Double.POSITIVE_INFINITY;
    for (int j = 0; j < zones; j++) {
      String to = ArtifactEgress.region(market.names().get(j));
      overhead[zones][j] = here;
      least = Math.min(least, market.onDemand(j));
      for (int i = 0; i < zones; i++) {
        String from = ArtifactEgress.region(market.names().get(i));
        double carrying = ArtifactEgress.seconds(from, to, job.checkpointGb()) / HOUR;
        overhead[i][j] = i == j ? here : (int) Math.ceil((restart / HOUR + carrying) * HOUR / tick);
        egress[i][j] = market.egress(i, j, job.checkpointGb());
        most = Math.max(most, overhead[i][j]);
      }
    }
    this.mostDollars = least * hoursPerTick * (here + work);
    this.overheads = Math.max(1, most);
    this.slot = new int[(3 * zones + 1) * overheads * (work + 1)];
    Arrays.fill(slot, -1);
    this.keys = new int[1024];
    this.costs = new double[1024];
    this.nextKeys = new int[1024];
    this.nextCosts = new double[1024];
    this.nextFrom = new int[1024];
  }

  /** Returns what to run in each tick. */
  static List<Replay.Part> plan(GangMarket market, GangJob job) {
    return new ArtifactOptimal(market, job).plan();
  }

  private List<Replay.Part> plan() {
    byte[][] modes = new byte[ticks + 1][];
    int[][] from = new int[ticks + 1][];
    size = 1;
    keys[0] = 0;
    costs[0] = 0;
    double[] tickDollars = new double[3 * zones + 1];
    boolean[] feasible = new boolean[3 * zones + 1];
    for (int t = 0; t < ticks; t++) {
      for (int z = 0; z < zones; z++) {
        tickDollars[1 + zones + z] = market.onDemand(z) * hoursPerTick;
        tickDollars[1 + 2 * zones + z] = market.spot(z, t) * hoursPerTick;
        feasible[1 + zones + z] = true;
        feasible[1 + 2 * zones + z] = market.up(z, t);
      }
      expand(work - (ticks - t - 1), tickDollars, feasible);
      from[t + 1] = Arrays.copyOf(nextFrom, nextSize);
      modes[t + 1] = new byte[nextSize];
      for (int i = 0; i < nextSize; i++) {
        slot[nextKeys[i]] = -1;
        modes[t + 1][i] = (byte) (nextKeys[i] / ((work + 1) * overheads));
      }
      swap();
    }
    return backtrack(modes, from);
  }

  private void swap() {
    int[] k = keys;
    keys = nextKeys;
    nextKeys = k;
    double[] c = costs;
    costs = nextCosts;
    nextCosts = c;
    size = nextSize;
    nextSize = 0;
  }

  /**
   * @param leastWork in ticks, without which the deadline is out of reach
   */
  private void expand(int leastWork, double[] tickDollars, boolean[] feasible) {
    int perMode = overheads * (work + 1);
    for (int i = 0; i < size; i++) {
      double cost = costs[i];
      if (cost > mostDollars) {
        continue;
      }
      int mode = keys[i] / perMode;
      int h = keys[i] % perMode / (work + 1);
      int k = keys[i] % (work + 1);
      boolean active = mode > zones;
      if (!active || feasible[mode]) {
        int done = active && h == 0 ? Math.min(work, k + 1) : k;
        if (done >= leastWork) {
          double stay = active ? cost + tickDollars[mode] : cost;
          offer((mode * overheads + Math.max(0, h - 1)) * (work + 1) + done, stay, i);
        }
      }
      int zone = mode == 0 ? zones : (mode - 1) % zones;
      if (active && k >= leastWork && cost <= mostDollars) {
        offer((1 + zone) * perMode + k, cost, i);
      }
      for (int j = zones + 1; j <= 3 * zones; j++) {
        if (j == mode || !feasible[j]) {
          continue;
        }
        int to = (j - 1) % zones;
        double dollars = cost + tickDollars[j] + egress[zone][to];
        int ticksOver = overhead[zone][to];
        int done = ticksOver == 0 ? Math.min(work, k + 1) : k;
        if (dollars <= mostDollars && done >= leastWork) {
          int left = Math.max(0, ticksOver - 1);
          offer((j * overheads + left) * (work + 1) + done, dollars, i);
        }
      }
    }
  }

  private void offer(int key, double cost, int from) {
    int at = slot[key];
    if (at < 0) {
      if (nextSize == nextFrom.length) {
        nextFrom = Arrays.copyOf(nextFrom, 2 * nextSize);
      }
      if (nextSize == nextKeys.length) {
        nextKeys = Arrays.copyOf(nextKeys, 2 * nextSize);
        nextCosts = Arrays.copyOf(nextCosts, 2 * nextSize);
      }
      at = nextSize++;
      slot[key] = at;
      nextKeys[at] = key;
    } else if (cost >= nextCosts[at]) {
      return;
    }
    nextCosts[at] = cost;
    nextFrom[at] = from;
  }

  private List<Replay.Part> backtrack(byte[][] modes, int[][] from) {
    int best = -1;
    for (int i = 0; i < size; i++) {
      if (keys[i] % (work + 1) == work && (best < 0 || costs[i] < costs[best])) {
        best = i;
      }
    }
    if (best < 0) {
      return Collections.nCopies(ticks, new Replay.Part(Mode.ON_DEMAND, 0));
    }
    List<Replay.Part> plan = new ArrayList<>(ticks);
    for (int t = ticks; t > 0; t--) {
      int mode = modes[t][best];
      int zone = mode == 0 ? 0 : (mode - 1) % zones;
      Mode kind = mode <= zones ? Mode.NONE : mode <= 2 * zones ? Mode.ON_DEMAND : Mode.SPOT;
      plan.add(new Replay.Part(kind, zone));
      best = from[t][best];
    }
    Collections.reverse(plan);
    return plan;
  }
}

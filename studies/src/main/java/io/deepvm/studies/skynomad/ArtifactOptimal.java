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

  /** How many keys there are for one amount of work. */
  private final int perWork;

  // The layer that is read and the one that is written, as lists in the order of finding.
  private int[] keys;
  private double[] costs;
  private int size;
  private int[] nextKeys;
  private int[] nextFrom;
  private int nextSize;

  /** By key: the least cost in the layer that is written, and its place there. */
  private final double[] best;

  private final int[] slot;

  // What can be launched in a tick; the tables by the zone it comes from.
  private final int[] launchMode;
  private final double[] launchDollars;
  private final int[][] launchKey;
  private final int[][] launchWork;
  private final double[][] launchEgress;
  private int launches;

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
    this.perWork = (3 * zones + 1) * overheads;
    this.slot = new int[perWork * (work + 1)];
    this.best = new double[slot.length];
    Arrays.fill(best, Double.POSITIVE_INFINITY);
    this.launchMode = new int[2 * zones];
    this.launchDollars = new double[2 * zones];
    this.launchKey = new int[zones + 1][2 * zones];
    this.launchWork = new int[zones + 1][2 * zones];
    this.launchEgress = new double[zones + 1][2 * zones];
    this.keys = new int[1024];
    this.costs = new double[1024];
    this.nextKeys = new int[1024];
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
    for (int t = 0; t < ticks; t++) {
      expand(t, work - (ticks - t - 1));
      from[t + 1] = Arrays.copyOf(nextFrom, nextSize);
      modes[t + 1] = new byte[nextSize];
      for (int i = 0; i < nextSize; i++) {
        modes[t + 1][i] = (byte) (nextKeys[i] % perWork / overheads);
      }
      turn();
    }
    return backtrack(modes, from);
  }

  /** Makes the layer that was written the one to read. */
  private void turn() {
    if (costs.length < nextSize) {
      costs = new double[nextKeys.length];
    }
    for (int i = 0; i < nextSize; i++) {
      costs[i] = best[nextKeys[i]];
      best[nextKeys[i]] = Double.POSITIVE_INFINITY;
    }
    int[] read = keys;
    keys = nextKeys;
    nextKeys = read;
    size = nextSize;
    nextSize = 0;
  }

  /** Lists the launches that are possible in the tick, for every zone they may come from. */
  private void listLaunches(int t) {
    launches = 0;
    for (int j = zones + 1; j <= 3 * zones; j++) {
      int to = (j - 1) % zones;
      boolean onDemand = j <= 2 * zones;
      if (!onDemand && !market.up(to, t)) {
        continue;
      }
      launchMode[launches] = j;
      launchDollars[launches] =
          (onDemand ? market.onDemand(to) : market.spot(to, t)) * hoursPerTick;
      for (int from = 0; from <= zones; from++) {
        int left = Math.max(0, overhead[from][to] - 1);
        launchWork[from][launches] = overhead[from][to] == 0 ? 1 : 0;
        launchKey[from][launches] = j * overheads + left;
        launchEgress[from][launches] = egress[from][to];
      }
      launches++;
    }
  }

  /**
   * @param leastWork in ticks, without which the deadline is out of reach
   */
  private void expand(int t, int leastWork) {
    listLaunches(t);
    for (int i = 0; i < size; i++) {
      double cost = costs[i];
      if (cost > mostDollars) {
        continue;
      }
      int key = keys[i];
      int mode = key % perWork / overheads;
      int k = key / perWork;
      int zone = mode == 0 ? zones : (mode - 1) % zones;
      if (mode > zones) {
        stay(t, i, mode, zone, leastWork);
        if (k >= leastWork) {
          offer(k * perWork + (1 + zone) * overheads, cost, i);
        }
      } else if (k >= leastWork) {
        offer(key, cost, i);
      }
      launch(i, mode, zone, leastWork);
    }
  }

  private void stay(int t, int i, int mode, int zone, int leastWork) {
    boolean onDemand = mode <= 2 * zones;
    if (!onDemand && !market.up(zone, t)) {
      return;
    }
    double dollars = (onDemand ? market.onDemand(zone) : market.spot(zone, t)) * hoursPerTick;
    int h = keys[i] % overheads;
    int k = keys[i] / perWork;
    int done = h == 0 ? Math.min(work, k + 1) : k;
    if (done >= leastWork) {
      int key = done * perWork + mode * overheads + Math.max(0, h - 1);
      offer(key, costs[i] + dollars, i);
    }
  }

  private void launch(int i, int mode, int zone, int leastWork) {
    double cost = costs[i];
    int k = keys[i] / perWork;
    int[] base = launchKey[zone];
    int[] works = launchWork[zone];
    double[] carry = launchEgress[zone];
    for (int l = 0; l < launches; l++) {
      double dollars = cost + launchDollars[l] + carry[l];
      int done = Math.min(work, k + works[l]);
      int key = done * perWork + base[l];
      // Seldom cheaper, so that is asked first.
      if (dollars < best[key]
          && dollars <= mostDollars
          && done >= leastWork
          && launchMode[l] != mode) {
        take(key, dollars, i);
      }
    }
  }

  private void offer(int key, double cost, int from) {
    if (cost < best[key]) {
      take(key, cost, from);
    }
  }

  /** Notes a state that is new or cheaper; one that was known keeps its place in the order. */
  private void take(int key, double cost, int from) {
    if (best[key] == Double.POSITIVE_INFINITY) {
      if (nextSize == nextFrom.length) {
        nextFrom = Arrays.copyOf(nextFrom, 2 * nextSize);
      }
      if (nextSize == nextKeys.length) {
        nextKeys = Arrays.copyOf(nextKeys, 2 * nextSize);
      }
      slot[key] = nextSize;
      nextKeys[nextSize++] = key;
    }
    best[key] = cost;
    nextFrom[slot[key]] = from;
  }

  private List<Replay.Part> backtrack(byte[][] modes, int[][] from) {
    int best = -1;
    for (int i = 0; i < size; i++) {
      if (keys[i] / perWork == work && (best < 0 || costs[i] < costs[best])) {
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

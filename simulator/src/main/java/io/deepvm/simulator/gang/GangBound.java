package io.deepvm.simulator.gang;

import io.deepvm.simulator.gang.Gang.Mode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The least that any policy can pay in {@link GangSimulation}, found with perfect foresight.
 *
 * <p>Dynamic programming, tick by tick, over where the gang is and how much time it has wasted so
 * far: idle ticks and restarts. Work done is the time that has passed less the waste, and waste is
 * at most the slack of the deadline, which keeps the tables small. Time is counted in the largest
 * part of a tick that also divides a restart, so that partial ticks are exact. A launch is one
 * transition up to its first tick with work: giving it up earlier is worse than not launching, as
 * long as a detour costs no less egress than the direct way.
 *
 * <p>Where that does not hold, or no small part of a tick divides the restart, the detour's price
 * or a shorter restart is taken instead: then the answer may be too low, never too high.
 */
public final class GangBound {

  /** A tick is divided into at most this many parts. */
  private static final int MOST_PARTS = 64;

  private static final double HOUR = 3600;
  private static final double FAR = Double.POSITIVE_INFINITY;

  // What a trail remembers: how a launch was come to, and whether what runs was just launched.
  private static final byte IDLE = 0;
  private static final byte ON_DEMAND = 1;
  private static final byte SPOT = 2;
  private static final byte STAYED = 0;
  private static final byte LAUNCHED = 1;
  private static final byte FROM_START = Byte.MAX_VALUE;

  private final GangMarket market;
  private final int zones;
  private final int ticks;
  private final int parts;
  private final int restart;
  private final int work;
  private final int slack;
  private final int commitment;
  private final boolean exact;
  private final double[][] egress;

  // Dollars by zone and waste, at the beginning of a tick: nothing runs, on demand, on spot.
  private double[][] idle;
  private double[][] nextIdle;
  private final double[][] onDemand;
  private final double[][] spot;
  private final double[][] anyhow;

  /** Dollars before a launch in a zone, of the last few ticks. */
  private final double[][][] launch;

  private final @Nullable Trail trail;
  private double least = FAR;
  private int leastTick;
  private int leastWaste;
  private int leastZone;
  private Mode leastMode = Mode.NONE;

  /** Which way was best, by tick, zone and waste: to be walked back. */
  private static final class Trail {

    private final byte[][][] anyhow;
    private final byte[][][] launch;
    private final byte[][][] onDemand;
    private final byte[][][] spot;

    Trail(int ticks, int zones, int slack) {
      anyhow = new byte[ticks + 1][zones][slack + 1];
      launch = new byte[ticks + 1][zones][slack + 1];
      onDemand = new byte[ticks + 1][zones][slack + 1];
      spot = new byte[ticks + 1][zones][slack + 1];
    }
  }

  private GangBound(GangMarket market, GangJob job, boolean tracked) {
    GangSimulation.checkFeasible(market, job);
    this.market = market;
    this.zones = market.zones();
    double tick = market.tickSeconds();
    this.ticks = job.ticks(tick);
    double ratio = job.restartSeconds() / tick;
    this.parts = parts(ratio);
    this.restart = (int) Math.floor(ratio * parts + 1e-9);
    double needed = (job.workSeconds() - GangJob.NOTHING_SECONDS) * parts / tick;
    this.work = (int) Math.ceil(needed - 1e-9);
    this.slack = ticks * parts - work;
    this.commitment = restart / parts + 1;
    this.egress = new double[zones][zones];
    boolean direct = closeEgress(job);
    this.exact = direct && Math.abs(ratio * parts - restart) <= 1e-9 * parts;
    this.idle = far(zones);
    this.nextIdle = far(zones);
    this.onDemand = far(zones);
    this.spot = far(zones);
    this.anyhow = far(zones);
    this.launch = new double[commitment][][];
    Arrays.setAll(launch, i -> far(zones));
    this.trail = tracked ? new Trail(ticks, zones, slack) : null;
    solve();
  }

  /** Returns the bound for a job that can be done at all. */
  public static GangBound of(GangMarket market, GangJob job) {
    return new GangBound(market, job, false);
  }

  /** Returns what to run in each tick to pay just the bound. */
  static List<Replay.Part> plan(GangMarket market, GangJob job) {
    return new GangBound(market, job, true).walkBack();
  }

  /** No policy pays less. */
  public double dollars() {
    return least;
  }

  /** Whether some policy pays just that. */
  public boolean isExact() {
    return exact;
  }

  /** Returns into how many parts a tick is divided so that a restart is a number of them. */
  private static int parts(double ratio) {
    for (int parts = 1; parts < MOST_PARTS; parts++) {
      double restart = ratio * parts;
      if (Math.abs(restart - Math.rint(restart)) <= 1e-9 * parts) {
        return parts;
      }
    }
    return MOST_PARTS;
  }

  /** Lets egress take the cheapest way; returns whether that is always the direct one. */
  private boolean closeEgress(GangJob job) {
    for (int i = 0; i < zones; i++) {
      for (int j = 0; j < zones; j++) {
        egress[i][j] = i == j ? 0 : market.egress(i, j, job.checkpointGb());
      }
    }
    boolean direct = true;
    for (int via = 0; via < zones; via++) {
      for (int i = 0; i < zones; i++) {
        for (int j = 0; j < zones; j++) {
          double detour = egress[i][via] + egress[via][j];
          if (detour < egress[i][j]) {
            direct &= detour > egress[i][j] * (1 - 1e-12);
            egress[i][j] = detour;
          }
        }
      }
    }
    return direct;
  }

  private double[][] far(int rows) {
    double[][] far = new double[rows][slack + 1];
    for (double[] row : far) {
      Arrays.fill(row, FAR);
    }
    return far;
  }

  private void solve() {
    for (int t = 0; t < ticks; t++) {
      leave(t);
      prepareLaunches(t);
      pass(t);
      finish(t + 1);
    }
  }

  /** Whatever runs may be stopped, and then stands where it ran. */
  private void leave(int t) {
    for (int z = 0; z < zones; z++) {
      byte @Nullable [] mark = trail == null ? null : trail.anyhow[t][z];
      Arrays.fill(anyhow[z], FAR);
      relax(anyhow[z], 0, idle[z], 0, mark, IDLE);
      relax(anyhow[z], 0, onDemand[z], 0, mark, ON_DEMAND);
      relax(anyhow[z], 0, spot[z], 0, mark, SPOT);
    }
  }

  private void prepareLaunches(int t) {
    double[][] now = launch[t % commitment];
    for (int to = 0; to < zones; to++) {
      byte @Nullable [] mark = trail == null ? null : trail.launch[t][to];
      Arrays.fill(now[to], FAR);
      for (int from = 0; from < zones; from++) {
        relax(now[to], 0, anyhow[from], egress[from][to], mark, from);
      }
      int waited = t * parts;
      if (waited <= slack && now[to][waited] > 0) {
        now[to][waited] = 0;
        if (mark != null) {
          mark[waited] = FROM_START;
        }
      }
    }
  }

  /** Lets the tick pass: what idles wastes it, what runs is paid, what was launched has arrived. */
  private void pass(int t) {
    double hours = market.tickSeconds() / HOUR;
    int launchedAt = t + 1 - commitment;
    for (int z = 0; z < zones; z++) {
      Arrays.fill(nextIdle[z], FAR);
      relax(nextIdle[z], parts, anyhow[z], 0, null, 0);
      double price = market.onDemand(z) * hours;
      add(onDemand[z], price);
      add(spot[z], market.up(z, t) ? market.spot(z, t) * hours : FAR);
      if (launchedAt >= 0) {
        double[] before = launch[launchedAt % commitment][z];
        byte @Nullable [] mark = trail == null ? null : trail.onDemand[t + 1][z];
        relax(onDemand[z], restart, before, commitment * price, mark, LAUNCHED);
        mark = trail == null ? null : trail.spot[t + 1][z];
        relax(spot[z], restart, before, spotDollars(z, launchedAt, t), mark, LAUNCHED);
      }
    }
    double[][] passed = idle;
    idle = nextIdle;
    nextIdle = passed;
  }

  private double spotDollars(int zone, int from, int to) {
    double dollars = 0;
    for (int t = from; t <= to; t++) {
      if (!market.up(zone, t)) {
        return FAR;
      }
      dollars += market.spot(zone, t) * market.tickSeconds() / HOUR;
    }
    return dollars;
  }

  /** Takes out what has done all its work when the tick begins. */
  private void finish(int t) {
    int last = Math.min(t * parts - work, slack);
    for (int waste = Math.max(0, (t - 1) * parts - work + 1); waste <= last; waste++) {
      for (int z = 0; z < zones; z++) {
        finish(t, waste, z, Mode.ON_DEMAND, onDemand[z]);
        finish(t, waste, z, Mode.SPOT, spot[z]);
      }
    }
  }

  private void finish(int t, int waste, int zone, Mode mode, double[] dollars) {
    if (dollars[waste] < least) {
      least = dollars[waste];
      leastTick = t;
      leastWaste = waste;
      leastZone = zone;
      leastMode = mode;
    }
    dollars[waste] = FAR;
  }

  private static void add(double[] dollars, double price) {
    for (int i = 0; i < dollars.length; i++) {
      dollars[i] += price;
    }
  }

  /** Takes what is cheaper from one table, with this much more waste and a price, into another. */
  private static void relax(
      double[] into, int waste, double[] from, double price, byte @Nullable [] mark, int value) {
    if (price == FAR) {
      return;
    }
    int length = into.length - waste;
    if (mark == null) {
      for (int i = 0; i < length; i++) {
        into[i + waste] = Math.min(into[i + waste], from[i] + price);
      }
      return;
    }
    for (int i = 0; i < length; i++) {
      double dollars = from[i] + price;
      if (dollars < into[i + waste]) {
        into[i + waste] = dollars;
        mark[i + waste] = (byte) value;
      }
    }
  }

  private List<Replay.Part> walkBack() {
    if (trail == null) {
      throw new IllegalStateException("nothing was tracked");
    }
    Replay.Part nothing = new Replay.Part(Mode.NONE, 0);
    List<Replay.Part> plan = new ArrayList<>(Collections.nCopies(ticks, nothing));
    int t = leastTick;
    int waste = leastWaste;
    int zone = leastZone;
    Mode mode = leastMode;
    while (true) {
      byte[][] marks = mode == Mode.SPOT ? trail.spot[t] : trail.onDemand[t];
      boolean stayed = marks[zone][waste] == STAYED;
      Replay.Part part = new Replay.Part(mode, zone);
      for (int i = stayed ? 1 : commitment; i > 0; i--) {
        plan.set(--t, part);
      }
      if (stayed) {
        continue;
      }
      waste -= restart;
      int from = trail.launch[t][zone][waste];
      if (from == FROM_START) {
        return plan;
      }
      zone = from;
      mode = mode(trail.anyhow[t][zone][waste]);
      while (mode == Mode.NONE) {
        t--;
        waste -= parts;
        mode = mode(trail.anyhow[t][zone][waste]);
      }
    }
  }

  private static Mode mode(byte mark) {
    return switch (mark) {
      case ON_DEMAND -> Mode.ON_DEMAND;
      case SPOT -> Mode.SPOT;
      default -> Mode.NONE;
    };
  }
}

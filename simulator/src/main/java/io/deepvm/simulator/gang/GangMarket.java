package io.deepvm.simulator.gang;

import io.deepvm.base.BadInput;
import io.deepvm.market.SpotMarket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What zones offer a gang, tick by tick, from a starting tick on: plain arrays, because millions of
 * runs read them.
 *
 * <p>Views of one market that start at other ticks share the arrays.
 */
public final class GangMarket {

  private final List<String> names;
  private final int[] regions;
  private final double tickSeconds;
  private final boolean[][] up;
  private final double[][] spot;
  private final double[] onDemand;
  private final double[][] egressPerGb;
  private final int[][] runs;
  private final int start;
  private final int ticks;

  private GangMarket(
      List<String> names,
      int[] regions,
      double tickSeconds,
      boolean[][] up,
      double[][] spot,
      double[] onDemand,
      double[][] egressPerGb,
      int[][] runs,
      int start,
      int ticks) {
    this.names = names;
    this.regions = regions;
    this.tickSeconds = tickSeconds;
    this.up = up;
    this.spot = spot;
    this.onDemand = onDemand;
    this.egressPerGb = egressPerGb;
    this.runs = runs;
    this.start = start;
    this.ticks = ticks;
  }

  /**
   * Returns the market of these arrays, which are not copied.
   *
   * @param regions of each zone; moves inside one cost nothing
   * @param up by zone and tick
   * @param spot dollars per hour of the whole gang, by zone and tick
   * @param onDemand dollars per hour of the whole gang, by zone
   * @param egressPerGb dollars from the first zone to the second
   */
  public static GangMarket of(
      List<String> names,
      List<String> regions,
      double tickSeconds,
      boolean[][] up,
      double[][] spot,
      double[] onDemand,
      double[][] egressPerGb) {
    int zones = names.size();
    if (zones == 0
        || regions.size() != zones
        || up.length != zones
        || spot.length != zones
        || onDemand.length != zones
        || egressPerGb.length != zones) {
      throw new IllegalArgumentException("every zone needs its arrays");
    }
    int ticks = Arrays.stream(up).mapToInt(u -> u.length).min().orElseThrow();
    int[][] runs = new int[zones][];
    for (int z = 0; z < zones; z++) {
      runs[z] = runs(up[z]);
    }
    int[] region = regions.stream().mapToInt(regions::indexOf).toArray();
    return new GangMarket(
        List.copyOf(names), region, tickSeconds, up, spot, onDemand, egressPerGb, runs, 0, ticks);
  }

  /**
   * Returns what a gang of this many nodes finds in a market: a zone is up while it has them all.
   *
   * @param egressPerGb dollars from the first pool to the second; moves inside a region are free
   *     whatever it says
   */
  public static GangMarket of(SpotMarket market, int nodes, double[][] egressPerGb) {
    if (nodes < 1) {
      throw new BadInput("A gang of %d nodes is none.".formatted(nodes), "Maybe ask for one.");
    }
    int zones = market.pools().size();
    boolean[][] up = new boolean[zones][market.ticks()];
    double[][] spot = new double[zones][market.ticks()];
    double[] onDemand = new double[zones];
    List<String> names = new ArrayList<>();
    List<String> regions = new ArrayList<>();
    for (int z = 0; z < zones; z++) {
      names.add(market.pools().get(z).toString());
      regions.add(
          market.pools().get(z).place().cloud() + "/" + market.pools().get(z).place().region());
      onDemand[z] = nodes * market.onDemandUsdPerHour(z);
      for (int t = 0; t < market.ticks(); t++) {
        up[z][t] = market.available(z, t) >= nodes;
        spot[z][t] = nodes * market.spotUsdPerHour(z, t);
      }
    }
    return of(names, regions, market.tickSeconds(), up, spot, onDemand, egressPerGb);
  }

  /** How many ticks each zone stays up, from each tick on. */
  private static int[] runs(boolean[] up) {
    int[] runs = new int[up.length];
    for (int t = up.length - 1; t >= 0; t--) {
      int next = t + 1 < up.length ? runs[t + 1] : 0;
      runs[t] = up[t] ? next + 1 : 0;
    }
    return runs;
  }

  /** Returns the same market seen from a later tick, for this many ticks. */
  public GangMarket window(int from, int length) {
    if (from < 0 || length < 1 || from + length > ticks) {
      throw new BadInput(
          "A window of %d ticks from tick %d does not fit into %d ticks."
              .formatted(length, from, ticks),
          "Maybe start earlier, or shorten the deadline.");
    }
    return new GangMarket(
        names, regions, tickSeconds, up, spot, onDemand, egressPerGb, runs, start + from, length);
  }

  /** Returns the same market with these zones only, in this order. */
  public GangMarket only(int... zones) {
    int n = zones.length;
    boolean[][] someUp = new boolean[n][];
    double[][] someSpot = new double[n][];
    int[][] someRuns = new int[n][];
    double[][] someEgress = new double[n][n];
    for (int i = 0; i < n; i++) {
      someUp[i] = up[zones[i]];
      someSpot[i] = spot[zones[i]];
      someRuns[i] = runs[zones[i]];
      for (int j = 0; j < n; j++) {
        someEgress[i][j] = egressPerGb[zones[i]][zones[j]];
      }
    }
    return new GangMarket(
        Arrays.stream(zones).mapToObj(names::get).toList(),
        Arrays.stream(zones).map(z -> regions[z]).toArray(),
        tickSeconds,
        someUp,
        someSpot,
        Arrays.stream(zones).mapToDouble(z -> onDemand[z]).toArray(),
        someEgress,
        someRuns,
        start,
        ticks);
  }

  public int zones() {
    return names.size();
  }

  /** The zones' names, in the order of their indices. */
  public List<String> names() {
    return names;
  }

  /** A number that zones of one region share. */
  public int region(int zone) {
    return regions[zone];
  }

  public double tickSeconds() {
    return tickSeconds;
  }

  /** How many ticks can be simulated. */
  public int ticks() {
    return ticks;
  }

  /** Whether the whole gang can run on spot in the tick; never after the last one. */
  public boolean up(int zone, int tick) {
    return tick < ticks && up[zone][start + tick];
  }

  /** Dollars per hour of the whole gang on spot; after the end, the last that was known. */
  public double spot(int zone, int tick) {
    double[] prices = spot[zone];
    return prices[Math.min(start + tick, prices.length - 1)];
  }

  /** Dollars per hour of the whole gang on demand. */
  public double onDemand(int zone) {
    return onDemand[zone];
  }

  /** Dollars to carry this many GB. */
  public double egress(int from, int to, double gb) {
    return regions[from] == regions[to] ? 0 : gb * egressPerGb[from][to];
  }

  /** How many ticks the zone stays up from this one on, also beyond the last that is simulated. */
  public int run(int zone, int tick) {
    return runs[zone][start + tick];
  }
}

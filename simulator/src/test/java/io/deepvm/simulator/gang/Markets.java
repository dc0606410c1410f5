package io.deepvm.simulator.gang;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Small markets written down by hand: ticks of ten minutes, a dollar each on spot. */
final class Markets {

  static final double ON_DEMAND = 30;
  static final double SPOT = 6;

  private Markets() {}

  /** Returns zones in regions of their own, from lines of '#' for up and '.' for down. */
  static GangMarket of(String... zones) {
    List<String> names = new ArrayList<>();
    boolean[][] up = new boolean[zones.length][];
    double[][] spot = new double[zones.length][];
    for (int z = 0; z < zones.length; z++) {
      names.add("zone" + z);
      up[z] = new boolean[zones[z].length()];
      for (int t = 0; t < up[z].length; t++) {
        up[z][t] = zones[z].charAt(t) == '#';
      }
      spot[z] = new double[up[z].length];
      Arrays.fill(spot[z], SPOT);
    }
    double[][] egress = new double[zones.length][zones.length];
    for (double[] row : egress) {
      Arrays.fill(row, 0.02);
    }
    double[] onDemand = new double[zones.length];
    Arrays.fill(onDemand, ON_DEMAND);
    return GangMarket.of(names, names, 600, up, spot, onDemand, egress);
  }

  static GangMarket of(boolean[][] up, double[][] spot, double onDemand) {
    List<String> names = new ArrayList<>();
    for (int z = 0; z < up.length; z++) {
      names.add("zone" + z);
    }
    double[] same = new double[up.length];
    Arrays.fill(same, onDemand);
    return GangMarket.of(names, names, 600, up, spot, same, new double[up.length][up.length]);
  }

  static String up(int ticks) {
    return String.join("", Collections.nCopies(ticks, "#"));
  }

  static String down(int ticks) {
    return String.join("", Collections.nCopies(ticks, "."));
  }
}

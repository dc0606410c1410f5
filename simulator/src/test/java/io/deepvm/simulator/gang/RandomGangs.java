package io.deepvm.simulator.gang;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random markets and jobs that can be done in them. */
final class RandomGangs {

  /** A job in a market; the arrays are the market's own. */
  record Case(GangMarket market, GangJob job, boolean[][] up) {}

  private RandomGangs() {}

  /** Returns a case of so many zones and ticks at most; prices fall on or off a grid. */
  static Case of(Random random, int mostZones, int mostTicks) {
    int zones = 1 + random.nextInt(mostZones);
    int ticks = 3 + random.nextInt(mostTicks - 2);
    double tick = 600;
    double restart = List.of(0.0, 60.0, 300.0, 600.0, 720.0, 1300.0, 700.1).get(random.nextInt(7));
    double most = ticks * tick - restart;
    double work = Math.max(30, most * (0.2 + 0.8 * random.nextDouble()));
    if (random.nextBoolean()) {
      work = Math.max(60, Math.floor(work / 60) * 60);
    }
    if (work > most) {
      restart = 0;
      work = Math.min(work, ticks * tick);
    }
    boolean[][] up = new boolean[zones][ticks];
    double[][] spot = new double[zones][ticks];
    double[] onDemand = new double[zones];
    double[][] egress = new double[zones][zones];
    List<String> names = new ArrayList<>();
    List<String> regions = new ArrayList<>();
    for (int z = 0; z < zones; z++) {
      names.add("zone" + z);
      regions.add("region" + random.nextInt(3));
      onDemand[z] = 3 + random.nextInt(10);
      double stays = 0.3 + 0.65 * random.nextDouble();
      boolean now = random.nextBoolean();
      double price = onDemand[z] * (0.1 + 0.9 * random.nextDouble());
      for (int t = 0; t < ticks; t++) {
        now = random.nextDouble() < stays ? now : !now;
        if (random.nextInt(8) == 0) {
          price = onDemand[z] * (0.1 + 1.1 * random.nextDouble());
        }
        up[z][t] = now;
        spot[z][t] = price;
      }
      for (int other = 0; other < zones; other++) {
        egress[z][other] = random.nextInt(3) * 0.01;
      }
    }
    GangMarket market = GangMarket.of(names, regions, tick, up, spot, onDemand, egress);
    return new Case(market, new GangJob(work, ticks * tick + random.nextInt(600), restart, 10), up);
  }
}

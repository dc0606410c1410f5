package io.deepvm.cli.chart;

import io.deepvm.catalog.Market;
import io.deepvm.simulator.Timeline.Life;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/**
 * The rows of one pool in a picture of nodes' lives: a row takes the next life once its last has
 * ended, so that there are as many as nodes lived at once.
 *
 * @param spot rows of lives in the order of time
 * @param onDemand likewise
 */
record Rows(int pool, List<List<Life>> spot, List<List<Life>> onDemand) {

  /** Returns the pools that had nodes, in the market's order. */
  static List<Rows> of(List<Life> lives) {
    TreeMap<Integer, Rows> pools = new TreeMap<>();
    for (Life life : lives.stream().sorted(Comparator.comparingDouble(Life::from)).toList()) {
      Rows rows =
          pools.computeIfAbsent(
              life.pool(), pool -> new Rows(pool, new ArrayList<>(), new ArrayList<>()));
      place(life, life.market() == Market.SPOT ? rows.spot : rows.onDemand);
    }
    return List.copyOf(pools.values());
  }

  int count() {
    return spot.size() + onDemand.size();
  }

  private static void place(Life life, List<List<Life>> rows) {
    for (List<Life> row : rows) {
      if (row.get(row.size() - 1).to() <= life.from()) {
        row.add(life);
        return;
      }
    }
    rows.add(new ArrayList<>(List.of(life)));
  }
}

package io.deepvm.cli.run;

import io.deepvm.catalog.Market;
import io.deepvm.simulator.Cluster;
import io.deepvm.simulator.Policy;
import java.util.Comparator;
import java.util.List;

/**
 * Keeps the nodes of a plan, each in whichever of its zones has one: the cheapest first, the others
 * when that one refuses.
 */
final class AnyZone implements Policy {

  /**
   * Equal nodes.
   *
   * @param pools where they may be
   */
  record Wanted(List<Integer> pools, Market market, int count) {
    Wanted {
      pools = List.copyOf(pools);
    }
  }

  private final List<Wanted> wanted;

  AnyZone(List<Wanted> wanted) {
    this.wanted = List.copyOf(wanted);
  }

  @Override
  public void decide(Cluster cluster, boolean tick) {
    for (Wanted each : wanted) {
      boolean spot = each.market() == Market.SPOT;
      int held =
          each.pools().stream()
              .mapToInt(p -> spot ? cluster.spot(p) - cluster.noticed(p) : cluster.onDemand(p))
              .sum();
      List<Integer> cheapest =
          each.pools().stream()
              .sorted(
                  Comparator.comparingDouble(
                      p -> spot ? cluster.spotUsdPerHour(p) : cluster.onDemandUsdPerHour(p)))
              .toList();
      int missing = each.count() - held;
      for (int pool : cheapest) {
        if (missing > 0) {
          missing -= cluster.rent(pool, each.market(), missing);
        }
      }
    }
  }
}

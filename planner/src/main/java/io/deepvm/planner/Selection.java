package io.deepvm.planner;

import io.deepvm.catalog.Market;
import io.deepvm.catalog.PlaceFilter;
import java.util.List;
import java.util.Set;

/**
 * Which machines a cluster may be made of.
 *
 * @param places where nodes may stand; empty means anywhere
 * @param markets on which workers may be rented
 * @param own machines at hand, usable in part
 */
public record Selection(
    List<PlaceFilter> places, Set<Market> markets, List<GivenCluster.Group> own) {

  /** Spot workers anywhere, and no own machines. */
  public static final Selection USUAL = new Selection(List.of(), Set.of(Market.SPOT), List.of());

  public Selection {
    places = List.copyOf(places);
    markets = Set.copyOf(markets);
    own = List.copyOf(own);
    if (markets.isEmpty()) {
      throw new IllegalArgumentException("no market to rent workers on");
    }
  }

  /** Returns the same selection in these places. */
  public Selection withPlaces(List<PlaceFilter> others) {
    return new Selection(others, markets, own);
  }

  /** Returns the same selection with workers of these markets. */
  public Selection withMarkets(Set<Market> others) {
    return new Selection(places, others, own);
  }

  /** Returns the same selection with these machines at hand. */
  public Selection withOwn(List<GivenCluster.Group> machines) {
    return new Selection(places, markets, machines);
  }
}

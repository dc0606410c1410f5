package io.deepvm.catalog.refresh;

import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Market;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Compares fresh prices of a cloud with the known ones, and refuses impossible prices. */
public final class PriceCheck {

  /** A price that moved by more than this factor is not believed. */
  static final double JUMP = 10;

  /** No machine of any cloud costs that much an hour. */
  private static final Money CEILING = new Money(10_000_000_000L);

  /** A list with fewer than this share of what was known is taken for a part of one. */
  private static final double LEAST_SHARE = 0.5;

  /** A list of which more than this share is not believed is not believed at all. */
  private static final double MOST_REFUSED = 0.2;

  private record Offered(Listing.Key key, Market market) {}

  private record Sort(String instanceType, Market market) {}

  private record Span(long least, long most) {
    Span with(long micros) {
      return new Span(Math.min(least, micros), Math.max(most, micros));
    }
  }

  private final List<Listing> known;
  private final boolean jumps;
  private final Map<Offered, Span> offers = new HashMap<>();
  private final Map<Sort, Span> types = new HashMap<>();

  private PriceCheck(List<Listing> known, boolean jumps) {
    this.known = known;
    this.jumps = jumps;
    for (Listing listing : known) {
      for (Market market : Market.values()) {
        Money price = listing.price(market);
        if (price != null) {
          long micros = price.micros();
          offers.put(new Offered(listing.key(), market), new Span(micros, micros));
          types.merge(
              new Sort(listing.machine().name(), market),
              new Span(micros, micros),
              (a, b) -> a.with(b.least()));
        }
      }
    }
  }

  /** Returns a check against the known listings of the same cloud. */
  public static PriceCheck against(List<Listing> known) {
    return new PriceCheck(known, false);
  }

  /** Returns a check that takes prices that moved far, and lists that became short. */
  public PriceCheck acceptingJumps() {
    return new PriceCheck(known, true);
  }

  /** Returns what is believed; a list that looks like a part of one is refused as a whole. */
  public FreshPrices believed(FreshPrices fresh) {
    List<RefusedPrice> refused = new ArrayList<>(fresh.refused());
    List<Listing> believed = new ArrayList<>();
    int jumped = 0;
    for (Listing listing : fresh.listings()) {
      int before = refused.size();
      Money spot = believed(listing, Market.SPOT, refused);
      Money onDemand = believed(listing, Market.ON_DEMAND, refused);
      jumped += refused.size() > before ? 1 : 0;
      if (spot != null || onDemand != null) {
        believed.add(new Listing(listing.machine(), listing.place(), spot, onDemand));
      }
    }
    requireCredible(fresh.listings().size(), jumped, refused);
    return new FreshPrices(believed, refused);
  }

  private void requireCredible(int listed, int jumped, List<RefusedPrice> refused) {
    if (listed == 0 || (!jumps && listed < LEAST_SHARE * known.size())) {
      throw new BadInput(
          "It lists %d machines, where %d were known: it looks cut short."
              .formatted(listed, known.size()),
          "Maybe try again later; --accept-jumps takes it as it is.");
    }
    if (jumped > MOST_REFUSED * listed) {
      RefusedPrice first = refused.get(refused.size() - 1);
      throw new BadInput(
          "%d of its %d prices are not believed, such as %s: %s."
              .formatted(jumped, listed, first.row(), first.why()),
          "Maybe it is in another currency; --accept-jumps takes it as it is.");
    }
  }

  private @Nullable Money believed(Listing listing, Market market, List<RefusedPrice> refused) {
    Money price = listing.price(market);
    if (price == null) {
      return null;
    }
    String why = why(listing, market, price);
    if (why == null) {
      return price;
    }
    refused.add(
        new RefusedPrice(
            "%s in %s, %s".formatted(listing.machine().name(), listing.place(), market), why));
    return null;
  }

  private @Nullable String why(Listing listing, Market market, Money price) {
    if (!price.isPositive()) {
      return "%s is no price".formatted(price);
    } else if (price.compareTo(CEILING) > 0) {
      return "%s an hour is more than any machine costs".formatted(price);
    } else if (jumps) {
      return null;
    }
    Span before = offers.get(new Offered(listing.key(), market));
    if (before == null) {
      before = types.get(new Sort(listing.machine().name(), market));
    }
    if (before == null
        || (price.micros() <= JUMP * before.most() && price.micros() * JUMP >= before.least())) {
      return null;
    }
    return "%s, where it was %s: more than a factor of %.0f"
        .formatted(
            price,
            new Money(price.micros() > before.most() ? before.most() : before.least()),
            JUMP);
  }
}

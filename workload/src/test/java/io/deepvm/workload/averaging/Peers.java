package io.deepvm.workload.averaging;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.Money;
import io.deepvm.catalog.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Peers and networks for tests. */
final class Peers {

  static final TrainedModel XLM = new TrainedModel("RoBERTaXLM", 560.1e6, 394);

  static final Place US = new Place("gcp", "us-central1", null);
  static final Place EU = new Place("gcp", "europe-west1", null);
  static final Place ASIA = new Place("gcp", "asia-east1", null);
  static final Place SYDNEY = new Place("gcp", "australia-southeast1", null);
  static final List<Place> PLACES =
      List.of(
          US,
          EU,
          ASIA,
          SYDNEY,
          new Place("aws", "us-west-2", null),
          new Place("lambda", "us-west-1", null),
          new Place(Geography.ON_PREMISE, "europe", null));

  private Peers() {}

  static PeerGroup t4(Place place, int count) {
    Money price = Money.parse("0.18");
    return new PeerGroup(new Peer("T4", place, 120.8, HostClass.SMALL, price, null), count);
  }

  static List<PeerGroup> fourContinents() {
    return List.of(t4(US, 2), t4(EU, 2), t4(ASIA, 2), t4(SYDNEY, 2));
  }

  /** Two to four groups of different peers in different places. */
  static Arbitrary<List<PeerGroup>> clusters() {
    Arbitrary<Integer> counts = Arbitraries.integers().between(1, 8);
    Arbitrary<Double> speeds = Arbitraries.doubles().between(1, 2000);
    Arbitrary<List<PeerGroup>> any =
        Combinators.combine(
                Arbitraries.shuffle(PLACES).list().ofSize(1),
                counts.list().ofSize(4),
                speeds.list().ofSize(4),
                Arbitraries.of(HostClass.class).list().ofSize(4),
                Arbitraries.integers().between(2, 4))
            .as(
                (places, count, speed, host, groups) -> {
                  List<PeerGroup> made = new ArrayList<>();
                  for (int i = 0; i < groups; i++) {
                    Peer peer =
                        new Peer(
                            "peer" + i,
                            places.get(0).get(i),
                            speed.get(i),
                            host.get(i),
                            new Money(100_000L * (i + 1)),
                            null);
                    made.add(new PeerGroup(peer, count.get(i)));
                  }
                  return made;
                });
    return any.withoutEdgeCases();
  }

  static Arbitrary<TrainedModel> models() {
    return Combinators.combine(
            Arbitraries.doubles().between(1e6, 7e9), Arbitraries.integers().between(10, 800))
        .as((parameters, tensors) -> new TrainedModel("any", parameters, tensors))
        .withoutEdgeCases();
  }

  /** The same speed between all places that differ. */
  static Network uniform(double mbps) {
    return (from, to) ->
        new Link(
            CatalogNetwork.kind(from, to),
            Bandwidth.ofMbps(from.equals(to) ? 7000 : mbps),
            Money.parse("0.02"),
            "");
  }

  static Map<Place, Map<Place, Link>> oneLink(Bandwidth bandwidth) {
    return Map.of(US, Map.of(EU, new Link(LinkKind.BACKBONE, bandwidth, Money.ZERO, "")));
  }
}

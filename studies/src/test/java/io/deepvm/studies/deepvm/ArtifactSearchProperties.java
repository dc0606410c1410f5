package io.deepvm.studies.deepvm;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Market;
import io.deepvm.workload.Job;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class ArtifactSearchProperties {

  private static final double[] GBPS = {0.3, 1.7, 5, 10, 12.5, 15, 25, 30};

  @Property(tries = 300)
  void theShortcutFindsWhatFourNestedLoopsFind(
      @ForAll long seed, @ForAll @IntRange(min = 0, max = 60) int dimes, @ForAll boolean scale) {
    ArtifactMarket market =
        ArtifactMarket.of(randomCatalog(new Random(seed)), Job.UNSTATED, ArtifactScript.RUN);
    ArtifactSearch search = new ArtifactSearch(market, 8, scale);
    double budget = dimes * 0.1;
    List<PaperCandidate> tiering = bruteTiering(market, budget, scale);
    List<PaperCandidate> single = bruteSingleAnchor(market, budget, scale);
    List<PaperCandidate> merged = new ArrayList<>(top(tiering));
    merged.addAll(top(single));
    assertThat(search.topThree(budget)).isEqualTo(top(merged));

    PaperCandidate best = tiering.isEmpty() ? null : top(tiering).get(0);
    if (!single.isEmpty() && (best == null || !(best.z() > top(single).get(0).z()))) {
      best = top(single).get(0);
    }
    assertThat(search.single(budget)).isEqualTo(best);
  }

  private static List<PaperCandidate> top(List<PaperCandidate> candidates) {
    return candidates.stream()
        .sorted(Comparator.comparingDouble(PaperCandidate::z).reversed())
        .limit(3)
        .toList();
  }

  private static List<PaperCandidate> bruteTiering(
      ArtifactMarket market, double budget, boolean scale) {
    List<PaperCandidate> found = new ArrayList<>();
    for (ArtifactWorker v : market.workers()) {
      for (ArtifactRemote w : v.remotes()) {
        for (int n = 1; n < v.limit(); n++) {
          for (int m = 1; m < w.limit(); m++) {
            if (v.spot() * n + w.onDemand() * m <= budget
                && w.memoryGb() >= 8
                && n / (double) m < w.saturation()) {
              found.add(new PaperCandidate(v.tieringZ(n, scale), v, n, w, m));
            }
          }
        }
      }
    }
    return found;
  }

  private static List<PaperCandidate> bruteSingleAnchor(
      ArtifactMarket market, double budget, boolean scale) {
    List<PaperCandidate> found = new ArrayList<>();
    for (ArtifactWorker v : market.workers()) {
      for (int n = 2; n < v.limit(); n++) {
        if (v.spot() * (n - 1) + v.onDemand() <= budget) {
          found.add(PaperCandidate.singleAnchor(v.singleAnchorZ(n, scale), v, n));
        }
      }
    }
    return found;
  }

  private static Catalog randomCatalog(Random random) {
    List<Listing> listings = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(3); i++) {
      int cents = 10 + random.nextInt(60);
      listings.add(
          PaperCatalogs.gpu(
              "g" + i,
              new Money(cents * 10_000L).exactDollars().toString(),
              new Money(cents * 3_000L).exactDollars().toString(),
              GBPS[random.nextInt(GBPS.length)],
              100 + random.nextInt(4) * 100,
              0.05 + random.nextInt(4) * 0.05,
              random.nextInt(12),
              2 + random.nextInt(10)));
    }
    for (int i = 0; i <= random.nextInt(3); i++) {
      listings.add(
          PaperCatalogs.cpu(
              "c" + i,
              "c",
              "0." + (1 + random.nextInt(5)),
              4 + random.nextInt(3) * 4,
              GBPS[random.nextInt(GBPS.length)]));
    }
    return new Catalog(
        "random",
        null,
        "random",
        listings,
        List.of(
            PaperCatalogs.quota("g", Market.SPOT, random.nextInt(120)),
            PaperCatalogs.quota("c", Market.ON_DEMAND, random.nextInt(40))));
  }
}

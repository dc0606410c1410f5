package io.deepvm.studies.deepvm;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.planner.Plan;
import io.deepvm.studies.Performance;
import io.deepvm.workload.Job;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** Answers as the public artifact does, slips included, and says where they show. */
public final class ArtifactPlanner {

  /** The bandwidths that the artifact looks up as exact keys. */
  private static final Set<Double> KNOWN_GBPS =
      new TreeSet<>(Set.of(0.3, 1.7, 5.0, 10.0, 12.5, 15.0, 25.0, 30.0));

  private ArtifactPlanner() {}

  /**
   * Returns the clusters the artifact answers for the budget, best first; none when it has none.
   *
   * @param bufferSize the artifact's buffer_size, in truth a number of slots
   * @param checkpointGb the artifact's ckp_file_size, in truth in GB
   */
  public static List<Plan> plan(
      Catalog catalog,
      Job job,
      Money budgetPerHour,
      double bufferSize,
      double checkpointGb,
      ArtifactScript script) {
    ArtifactMarket market = ArtifactMarket.of(catalog, job, script);
    market.workers().forEach(ArtifactPlanner::requireKnownBandwidths);
    ArtifactDeepVm deepVm = new ArtifactDeepVm(market, checkpointGb * bufferSize, job);
    return deepVm.ranked(budgetPerHour).stream()
        .map(candidate -> candidate.plan(job, why(candidate, deepVm.search(), script, job)))
        .toList();
  }

  private static void requireKnownBandwidths(ArtifactWorker worker) {
    for (ArtifactRemote remote : worker.remotes()) {
      Bandwidth link =
          Bandwidth.min(
              Objects.requireNonNull(worker.spotOffer().machine().network()),
              Objects.requireNonNull(remote.offer().machine().network()));
      if (!KNOWN_GBPS.contains(link.gbps())) {
        throw new BadInput(
            "The link of %s to %s has %s, and the artifact knows only %s Gbps."
                .formatted(
                    worker.spotOffer().machine().name(),
                    remote.offer().machine().name(),
                    link,
                    KNOWN_GBPS),
            "Maybe leave the artifact's ways aside: our planner interpolates.");
      }
    }
  }

  private static List<String> why(
      PaperCandidate chosen, ArtifactSearch search, ArtifactScript script, Job job) {
    List<String> why = new ArrayList<>();
    why.add(
        "As the artifact's %s answers: Z = FLOPP n K(n) = %s."
            .formatted(script, scientific(chosen.z())));
    int most = chosen.worker().limit();
    if (chosen.n() == most - 1) {
      why.add(
          "Its bounds are exclusive: it stops at %d nodes that train where %d are allowed."
              .formatted(most - 1, most));
    }
    PaperCandidate cheapest = search.cheapestOfSameZ(chosen);
    if (!cheapest.equals(chosen) && cheapest.remote() != null) {
      why.add(
          "It settles ties by the catalog's order: %d x %s as anchors give the same Z for %s/h."
              .formatted(
                  cheapest.m(),
                  cheapest.remote().offer().machine().name(),
                  cheapest.pricePerHour()));
    }
    Plan plan = chosen.plan(job);
    Performance performance = Performance.of(plan, job);
    why.add(
        "Its Z takes n K(n) = %s for a speed-up; the fitted curve says %s."
            .formatted(
                twoDecimals(performance.flopsNK() / chosen.worker().flops()),
                twoDecimals(plan.predicted().speedup())));
    return why;
  }

  private static String scientific(double value) {
    return String.format(Locale.ROOT, "%.6e", value);
  }

  private static String twoDecimals(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }
}

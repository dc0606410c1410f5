package io.deepvm.studies.deepvm;

import io.deepvm.workload.NetworkSaturation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The artifact's search, same answers without its four nested loops: for a worker type, a remote
 * type and n the remotes that fit form an interval, of which a list of the k best can only hold the
 * first k, all with the same Z.
 *
 * @param neededGb the memory a remote must have: buffer size times checkpoint size
 * @param scale whether K(n) counts; without it this is DeepVM No Scale
 */
record ArtifactSearch(ArtifactMarket market, double neededGb, boolean scale) {

  private static final Comparator<PaperCandidate> BY_Z =
      Comparator.comparingDouble(PaperCandidate::z).reversed();

  /** What run.py prints: the three best of each architecture, merged; tiering first in a tie. */
  List<PaperCandidate> topThree(double budget) {
    List<PaperCandidate> merged = new ArrayList<>(tiering(budget, 3));
    merged.addAll(singleAnchor(budget, 3));
    merged.sort(BY_Z);
    return List.copyOf(merged.subList(0, Math.min(3, merged.size())));
  }

  /** The choice of simulation.py and of No Scale: the single anchor wins a tie. */
  @Nullable PaperCandidate single(double budget) {
    List<PaperCandidate> tiering = tiering(budget, 1);
    List<PaperCandidate> singleAnchor = singleAnchor(budget, 1);
    if (singleAnchor.isEmpty()) {
      return tiering.isEmpty() ? null : tiering.get(0);
    }
    return !tiering.isEmpty() && tiering.get(0).z() > singleAnchor.get(0).z()
        ? tiering.get(0)
        : singleAnchor.get(0);
  }

  private List<PaperCandidate> tiering(double budget, int keep) {
    List<PaperCandidate> best = new ArrayList<>(keep + 1);
    for (ArtifactWorker worker : market.workers()) {
      for (ArtifactRemote remote : worker.remotes()) {
        if (remote.memoryGb() >= neededGb) {
          tiering(worker, remote, budget, keep, best);
        }
      }
    }
    return best;
  }

  private void tiering(
      ArtifactWorker worker,
      ArtifactRemote remote,
      double budget,
      int keep,
      List<PaperCandidate> best) {
    double spot = worker.spot();
    double onDemand = remote.onDemand();
    for (int n = 1; n < worker.limit() && spot * n <= budget; n++) {
      double z = worker.tieringZ(n, scale);
      if (!isAmongBest(z, keep, best)) {
        continue;
      }
      int fewest = NetworkSaturation.anchorsNeeded(n, remote.saturation());
      if (fewest >= remote.limit() || !(spot * n + onDemand * fewest <= budget)) {
        return; // more workers need as many remotes or more, and cost more
      }
      for (int m = fewest;
          m < fewest + keep && m < remote.limit() && spot * n + onDemand * m <= budget;
          m++) {
        if (isAmongBest(z, keep, best)) {
          insert(new PaperCandidate(z, worker, n, remote, m), keep, best);
        }
      }
    }
  }

  private List<PaperCandidate> singleAnchor(double budget, int keep) {
    List<PaperCandidate> best = new ArrayList<>(keep + 1);
    for (ArtifactWorker worker : market.workers()) {
      for (int n = 2;
          n < worker.limit() && worker.spot() * (n - 1) + worker.onDemand() <= budget;
          n++) {
        double z = worker.singleAnchorZ(n, scale);
        if (isAmongBest(z, keep, best)) {
          insert(PaperCandidate.singleAnchor(z, worker, n), keep, best);
        }
      }
    }
    return best;
  }

  /** Returns the cheapest cluster with as many nodes training, or the chosen one itself. */
  PaperCandidate cheapestOfSameZ(PaperCandidate chosen) {
    PaperCandidate cheapest = chosen;
    for (ArtifactRemote remote : chosen.worker().remotes()) {
      int m = NetworkSaturation.anchorsNeeded(chosen.n(), remote.saturation());
      PaperCandidate other = new PaperCandidate(chosen.z(), chosen.worker(), chosen.n(), remote, m);
      if (remote.memoryGb() >= neededGb
          && m < remote.limit()
          && other.pricePerHour().compareTo(cheapest.pricePerHour()) < 0) {
        cheapest = other;
      }
    }
    return cheapest;
  }

  private static boolean isAmongBest(double z, int keep, List<PaperCandidate> best) {
    return best.size() < keep || z > best.get(keep - 1).z();
  }

  /** Behind its equals, as a stable sort would leave it. */
  private static void insert(PaperCandidate candidate, int keep, List<PaperCandidate> best) {
    int at = best.size();
    while (at > 0 && candidate.z() > best.get(at - 1).z()) {
      at--;
    }
    best.add(at, candidate);
    if (best.size() > keep) {
      best.remove(keep);
    }
  }
}

package io.deepvm.planner;

import io.deepvm.base.Bandwidth;
import io.deepvm.workload.NetworkSaturation;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * For each number of workers with one network speed at a site: the cheapest anchors that do, worked
 * out when first asked for.
 */
final class AnchorPicks {

  /** This many of this anchor. */
  record Pick(Anchor anchor, int count) {

    long price() {
      return anchor.price() * count;
    }
  }

  private static final long NOT_YET = -1;

  private final List<Anchor> anchors;
  private final double[] saturation;
  private final int[] fewest;
  private final long workerBitsPerSecond;
  private final CheckpointNeeds needs;
  private @Nullable Pick[] cheapest = new Pick[0];
  private long[] prices = {};

  AnchorPicks(List<Anchor> cheapestFirst, long workerBitsPerSecond, CheckpointNeeds needs) {
    this.anchors = cheapestFirst;
    this.workerBitsPerSecond = workerBitsPerSecond;
    this.needs = needs;
    saturation = new double[cheapestFirst.size()];
    fewest = new int[cheapestFirst.size()];
    for (int i = 0; i < saturation.length; i++) {
      long own = cheapestFirst.get(i).bitsPerSecond();
      long slower = Math.min(workerBitsPerSecond, own);
      saturation[i] = NetworkSaturation.workersPerAnchor(new Bandwidth(slower));
      fewest[i] = needs.anchorsToDrain(own);
    }
  }

  /** Micro-dollars per hour, or {@link Architecture#IMPOSSIBLE}. */
  long price(int workers) {
    if (workers >= prices.length) {
      int from = prices.length;
      int to = Math.min(Planner.MOST_NODES, Math.max(64, 2 * workers)) + 1;
      prices = Arrays.copyOf(prices, to);
      Arrays.fill(prices, from, to, NOT_YET);
      cheapest = Arrays.copyOf(cheapest, to);
    }
    if (prices[workers] == NOT_YET) {
      Pick best = cheapest(workers);
      cheapest[workers] = best;
      prices[workers] = best == null ? Architecture.IMPOSSIBLE : best.price();
    }
    return prices[workers];
  }

  /** The anchors themselves, where the price is not impossible. */
  Pick pick(int workers) {
    if (price(workers) == Architecture.IMPOSSIBLE) {
      throw new IllegalStateException("no anchors for " + workers + " workers");
    }
    return Objects.requireNonNull(cheapest[workers]);
  }

  private @Nullable Pick cheapest(int workers) {
    if (!needs.workersCanSend(workers, workerBitsPerSecond)) {
      return null;
    }
    Pick best = null;
    for (int i = 0; i < saturation.length; i++) {
      Anchor anchor = anchors.get(i);
      if (best != null && anchor.price() > best.price()) {
        break; // even one of it, or of any after it, is dearer
      }
      int forLinks = NetworkSaturation.anchorsNeeded(workers, saturation[i]);
      int forMemory = needs.anchorsToHold(workers, anchor.memoryBytes());
      int count = Math.max(fewest[i], Math.max(forLinks, forMemory));
      if (count > anchor.limit()) {
        continue;
      }
      long price = anchor.price() * count;
      if (best == null || price < best.price() || (price == best.price() && count < best.count())) {
        best = new Pick(anchor, count);
      }
    }
    return best;
  }
}

package io.deepvm.workload.averaging;

import io.deepvm.catalog.Place;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One averaging round of a set of peers, which does not depend on how much they calculate.
 *
 * @param peers how many take part
 * @param processingSeconds packing, summing and applying on the slowest host
 * @param linkSeconds what the slowest link adds
 * @param bottleneck the slowest link; null when links inside regions are all there is
 * @param traffic what is sent from place to place
 */
public record Exchange(
    int peers,
    double processingSeconds,
    double linkSeconds,
    @Nullable Bottleneck bottleneck,
    List<Traffic> traffic) {

  /** The link that the round waits for. */
  public record Bottleneck(Place from, Place to, Link link) {

    @Override
    public String toString() {
      return "%s to %s (%s a stream)".formatted(from, to, link.stream());
    }
  }

  /** Bytes sent over one link in one round. */
  public record Traffic(Place from, Place to, Link link, double bytes) {

    /** What the sender pays for them. */
    double dollars() {
      return bytes / 1e9 * link.egressPerGb().dollars();
    }
  }

  /** The communication time of the round. */
  public double seconds() {
    return processingSeconds + linkSeconds;
  }

  /** What the traffic of one round costs. */
  public double dollars() {
    double sum = 0;
    for (Traffic each : traffic) {
      sum += each.dollars();
    }
    return sum;
  }
}

package io.deepvm.workload.averaging;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.Money;
import io.deepvm.catalog.Place;
import org.jspecify.annotations.Nullable;

/**
 * One machine that trains on its own and averages with the others.
 *
 * @param samplesPerSecond by the clock on the wall, while it accumulates gradients
 * @param network what its network card carries; null when unknown, and then no limit
 */
public record Peer(
    String name,
    Place place,
    double samplesPerSecond,
    HostClass host,
    Money pricePerHour,
    @Nullable Bandwidth network) {

  public Peer {
    if (!(samplesPerSecond > 0 && Double.isFinite(samplesPerSecond))) {
      throw new BadInput(
          "The peer %s trains %s samples/s, which is not a positive number."
              .formatted(name, samplesPerSecond),
          "Maybe its measured speed is missing in the job's profile.");
    }
    if (pricePerHour.micros() < 0) {
      throw new BadInput(
          "The peer %s costs %s/h, which is below $0.".formatted(name, pricePerHour),
          "Maybe write 0 for a machine of your own.");
    }
    if (network != null && network.bitsPerSecond() <= 0) {
      throw new BadInput(
          "The peer %s has a network of %s, which is not above 0.".formatted(name, network),
          "Maybe leave it out when it is not known.");
    }
  }

  @Override
  public String toString() {
    return "%s in %s".formatted(name, place);
  }
}

package io.deepvm.planner.averaging;

import io.deepvm.base.Bandwidth;
import io.deepvm.catalog.Offer;
import io.deepvm.workload.averaging.Geography;
import io.deepvm.workload.averaging.Peer;
import java.util.Comparator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Peers that can be had in a place: how many, at which price, how fast. */
record Candidate(Peer peer, @Nullable Offer offer, int limit, String continent, String speedNote) {

  /** Most samples per dollar first; ties by name, so that the order never depends on the input. */
  static final Comparator<Candidate> BEST_VALUE_FIRST =
      Comparator.comparingDouble(Candidate::dollarsPerSample)
          .thenComparing(Candidate::rate, Comparator.reverseOrder())
          .thenComparing(candidate -> candidate.peer.toString());

  static final Comparator<Candidate> FASTEST_FIRST =
      Comparator.comparingDouble(Candidate::rate)
          .reversed()
          .thenComparingLong(Candidate::price)
          .thenComparing(candidate -> candidate.peer.toString());

  static Candidate of(Peer peer, @Nullable Offer offer, int limit, String speedNote) {
    String continent = Geography.continent(peer.place());
    return new Candidate(
        peer,
        offer,
        limit,
        Objects.requireNonNullElse(continent, peer.place().toString()),
        speedNote);
  }

  double rate() {
    return peer.samplesPerSecond();
  }

  /** Micro-dollars per hour. */
  long price() {
    return peer.pricePerHour().micros();
  }

  double dollarsPerSample() {
    return peer.pricePerHour().dollars() / 3600 / rate();
  }

  /** Whether it is at least as good in everything that counts, in the same place. */
  boolean covers(Candidate other) {
    return price() <= other.price()
        && rate() >= other.rate()
        && peer.host().compareTo(other.peer.host()) >= 0
        && limit >= other.limit
        && card(peer.network()) >= card(other.peer.network());
  }

  private static double card(@Nullable Bandwidth network) {
    return network == null ? Double.POSITIVE_INFINITY : network.bitsPerSecond();
  }
}

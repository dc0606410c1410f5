package io.deepvm.places.aws;

import io.deepvm.places.News;
import java.util.Map;
import java.util.Optional;

/** What the codes of EC2 mean for an order. */
final class Refusals {

  private static final Map<String, News.Refusal> CODES =
      Map.ofEntries(
          Map.entry("InsufficientInstanceCapacity", News.Refusal.CAPACITY),
          Map.entry("UnfulfillableCapacity", News.Refusal.CAPACITY),
          Map.entry("InsufficientCapacity", News.Refusal.CAPACITY),
          Map.entry("InsufficientHostCapacity", News.Refusal.CAPACITY),
          Map.entry("InsufficientReservedInstanceCapacity", News.Refusal.CAPACITY),
          Map.entry("SpotMaxPriceTooLow", News.Refusal.PRICE),
          Map.entry("MaxSpotInstanceCountExceeded", News.Refusal.QUOTA),
          Map.entry("VcpuLimitExceeded", News.Refusal.QUOTA),
          Map.entry("InstanceLimitExceeded", News.Refusal.QUOTA),
          Map.entry("RequestLimitExceeded", News.Refusal.THROTTLED),
          Map.entry("Throttling", News.Refusal.THROTTLED),
          Map.entry("ThrottlingException", News.Refusal.THROTTLED),
          Map.entry("EC2ThrottledException", News.Refusal.THROTTLED),
          Map.entry("Unsupported", News.Refusal.UNSUPPORTED),
          Map.entry("UnsupportedOperation", News.Refusal.UNSUPPORTED),
          Map.entry("UnauthorizedOperation", News.Refusal.DENIED),
          Map.entry("AuthFailure", News.Refusal.DENIED),
          Map.entry("OptInRequired", News.Refusal.DENIED),
          Map.entry("Blocked", News.Refusal.DENIED),
          Map.entry("PendingVerification", News.Refusal.DENIED),
          Map.entry("SignatureDoesNotMatch", News.Refusal.DENIED),
          Map.entry("InvalidClientTokenId", News.Refusal.DENIED),
          Map.entry("UnrecognizedClientException", News.Refusal.DENIED),
          Map.entry("ExpiredToken", News.Refusal.DENIED),
          Map.entry("RequestExpired", News.Refusal.DENIED),
          Map.entry("AccessDeniedException", News.Refusal.DENIED));

  private Refusals() {}

  /**
   * Returns why an order was refused; empty if nobody knows whether it was carried out, so that it
   * must be sent again.
   */
  static Optional<News.Refusal> of(Ec2Failure failure) {
    News.Refusal known = CODES.get(failure.code());
    if (known != null) {
      return known == News.Refusal.THROTTLED ? Optional.empty() : Optional.of(known);
    }
    if (failure.code().startsWith("Idempotent")) {
      // The token was used before, so a machine may exist.
      return Optional.empty();
    }
    if (failure.code().startsWith("Invalid")) {
      return Optional.of(News.Refusal.UNSUPPORTED);
    }
    boolean answered = failure.status() >= 400 && failure.status() < 500;
    return answered && !failure.code().isEmpty()
        ? Optional.of(News.Refusal.BROKEN)
        : Optional.empty();
  }

  /**
   * Returns why an order was refused that had been sent before: only what EC2 says after it looked
   * for the order's token means that no machine exists.
   */
  static Optional<News.Refusal> ofRepeated(Ec2Failure failure) {
    return of(failure)
        .filter(
            why ->
                why == News.Refusal.CAPACITY
                    || why == News.Refusal.PRICE
                    || why == News.Refusal.QUOTA);
  }

  /** Whether there were too many requests. */
  static boolean isThrottled(Ec2Failure failure) {
    return CODES.get(failure.code()) == News.Refusal.THROTTLED;
  }

  /** Whether the account or its rights are the problem. */
  static boolean isDenied(Ec2Failure failure) {
    return CODES.get(failure.code()) == News.Refusal.DENIED;
  }
}

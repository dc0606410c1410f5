package io.deepvm.workload.averaging;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.Money;
import org.jspecify.annotations.Nullable;

/**
 * What lies between two places as averaging sees it, from the sender to the receiver.
 *
 * @param stream what one TCP stream carries, the low end of what was measured
 * @param many streams together carry at most this; null when not measured
 * @param egressPerGb what 10^9 bytes cost, at both ends where both are billed
 * @param assumption what was assumed for want of a measurement; empty when nothing was
 */
public record Link(
    LinkKind kind,
    Bandwidth stream,
    @Nullable Bandwidth many,
    Money egressPerGb,
    String assumption) {

  /** A link with a measurement of one stream only. */
  public Link(LinkKind kind, Bandwidth stream, Money egressPerGb, String assumption) {
    this(kind, stream, null, egressPerGb, assumption);
  }

  public Link {
    if (stream.bitsPerSecond() <= 0) {
      throw new BadInput(
          "The bandwidth %s is not above 0.".formatted(stream),
          "Maybe write it like 210Mbps, or leave it out and state the round trip.");
    }
    if (egressPerGb.micros() < 0) {
      throw new BadInput(
          "The price of traffic %s/GB is below $0.".formatted(egressPerGb),
          "Maybe write 0 where traffic is free.");
    }
  }
}

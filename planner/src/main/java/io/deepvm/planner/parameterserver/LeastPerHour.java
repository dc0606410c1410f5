package io.deepvm.planner.parameterserver;

import io.deepvm.base.Money;
import org.jspecify.annotations.Nullable;

/** The cluster in time that costs the least per hour: the cheapest one to keep for good. */
final class LeastPerHour {

  /** A billed time beside which the seconds of training do not count. */
  private static final double FOR_GOOD_SECONDS = 1e15;

  private static final double SECONDS_PER_HOUR = 3600;

  private LeastPerHour() {}

  /** Returns it priced as asked; null when no cluster below that price per hour is in time. */
  static @Nullable Provision of(ProvisionRequest request, Money below) {
    ProvisionRequest kept = request.withBilling(request.billing().keptFor(FOR_GOOD_SECONDS));
    double dollars = FOR_GOOD_SECONDS / SECONDS_PER_HOUR * below.dollars();
    Provision found = new ExactSearch().search(kept, dollars).best();
    return found == null ? null : Provision.of(request, found.counts());
  }
}

package io.deepvm.planner.parameterserver;

import io.deepvm.base.Money;
import org.jspecify.annotations.Nullable;

/** The fastest cluster at any price: the cheapest one if only time cost money. */
final class Fastest {

  private static final Money ANY = new Money(1_000_000);

  private Fastest() {}

  /** Returns it priced as asked, whatever the deadline; null when there are no workers. */
  static @Nullable Provision of(ProvisionRequest request) {
    ProvisionRequest timeOnly =
        request
            .withDeadline(Double.POSITIVE_INFINITY)
            .withOffers(
                request.offers().stream().map(offer -> offer.withPrice(Money.ZERO)).toList())
            .withBilling(new Billing(ANY, request.billing().startUpSeconds(), false));
    Provision found = new ExactSearch().search(timeOnly).best();
    return found == null ? null : Provision.of(request, found.counts());
  }
}

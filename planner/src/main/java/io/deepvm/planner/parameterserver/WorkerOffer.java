package io.deepvm.planner.parameterserver;

import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import io.deepvm.workload.parameterserver.WorkerType;

/**
 * Workers of one type that can be rented.
 *
 * @param limit how many more may be rented
 * @param running how many already train; they stay in every plan
 */
public record WorkerOffer(WorkerType type, Money pricePerHour, int limit, int running) {

  public WorkerOffer {
    if (limit < 0 || running < 0 || pricePerHour.micros() < 0) {
      throw new BadInput(
          "%d more and %d running %s at %s/h cannot be."
              .formatted(limit, running, type.name(), pricePerHour),
          "Maybe a sign is wrong: none of them may be below 0.");
    }
  }

  WorkerOffer withLimit(int other) {
    return new WorkerOffer(type, pricePerHour, other, running);
  }

  WorkerOffer withPrice(Money other) {
    return new WorkerOffer(type, other, limit, running);
  }
}

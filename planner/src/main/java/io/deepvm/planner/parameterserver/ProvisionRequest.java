package io.deepvm.planner.parameterserver;

import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import io.deepvm.workload.parameterserver.LossGoal;
import io.deepvm.workload.parameterserver.ParameterServerModel;
import io.deepvm.workload.parameterserver.WorkerGroup;
import java.util.ArrayList;
import java.util.List;

/**
 * What to reach, by when, and with what.
 *
 * @param deadlineSeconds from now; infinite when there is none
 * @param overheadSeconds lost to a revocation before training goes on
 */
public record ProvisionRequest(
    ParameterServerModel model,
    List<WorkerOffer> offers,
    List<SharedLimit> sharedLimits,
    LossGoal goal,
    double deadlineSeconds,
    double overheadSeconds,
    Billing billing) {

  public ProvisionRequest {
    offers = List.copyOf(offers);
    sharedLimits = List.copyOf(sharedLimits);
    for (WorkerOffer offer : offers) {
      model.profile().loss().requireMeaningful(offer.type().batch());
    }
    if (goal.current() != null && goal.current() <= goal.target()) {
      throw new BadInput(
          "The loss is %s already, not above the target %s."
              .formatted(goal.current(), goal.target()),
          "Maybe nothing is left to do, or the target should be lower.");
    }
    if (!(deadlineSeconds > 0)) {
      throw new BadInput(
          "The deadline is in %s s.".formatted(deadlineSeconds), "Maybe write it like 2400s.");
    }
    double lost = overheadSeconds + billing.startUpSeconds();
    if (!(lost >= 0 && lost < deadlineSeconds)) {
      throw new BadInput(
          "The deadline (%s s) is not after start-up and overhead (%s s)."
              .formatted(deadlineSeconds, lost),
          "Maybe set a deadline later than %s s.".formatted(lost));
    }
  }

  /** The seconds that may be spent training. */
  double trainingSeconds() {
    return deadlineSeconds - overheadSeconds - billing.startUpSeconds();
  }

  /** The seconds on the bill besides training. */
  double billedBesidesTraining() {
    return billing.startUpSeconds()
        + (billing.overheadBilled() ? overheadSeconds : 0)
        + billing.keptSeconds();
  }

  int running() {
    return offers.stream().mapToInt(WorkerOffer::running).sum();
  }

  int available() {
    return offers.stream().mapToInt(WorkerOffer::limit).sum();
  }

  List<WorkerGroup> cluster(int[] added) {
    List<WorkerGroup> cluster = new ArrayList<>();
    for (int i = 0; i < added.length; i++) {
      WorkerOffer offer = offers.get(i);
      cluster.add(new WorkerGroup(offer.type(), offer.running() + added[i]));
    }
    return cluster;
  }

  boolean allows(int[] added) {
    return sharedLimits.stream().allMatch(limit -> limit.allows(added));
  }

  /** The price per hour of the servers and all workers, those that run and these new ones. */
  Money pricePerHour(int[] added) {
    Money price = billing.serversPerHour();
    for (int i = 0; i < added.length; i++) {
      WorkerOffer offer = offers.get(i);
      price = price.plus(offer.pricePerHour().times((long) offer.running() + added[i]));
    }
    return price;
  }

  /** Returns the request for clusters that cost at most this per hour, servers included. */
  public ProvisionRequest within(Money maxPricePerHour) {
    Money left = maxPricePerHour.minus(pricePerHour(new int[offers.size()]));
    List<SharedLimit> limits = new ArrayList<>(sharedLimits);
    limits.add(SharedLimit.pricePerHour(left, offers));
    return new ProvisionRequest(
        model, offers, limits, goal, deadlineSeconds, overheadSeconds, billing);
  }

  /** Returns the request with another deadline. */
  public ProvisionRequest withDeadline(double seconds) {
    return new ProvisionRequest(
        model, offers, sharedLimits, goal, seconds, overheadSeconds, billing);
  }

  /** Returns the request with other offers; there must be as many. */
  public ProvisionRequest withOffers(List<WorkerOffer> others) {
    return new ProvisionRequest(
        model, others, sharedLimits, goal, deadlineSeconds, overheadSeconds, billing);
  }

  /** Returns the request with another bill. */
  public ProvisionRequest withBilling(Billing other) {
    return new ProvisionRequest(
        model, offers, sharedLimits, goal, deadlineSeconds, overheadSeconds, other);
  }

  /** Returns the request with another goal. */
  public ProvisionRequest withGoal(LossGoal other) {
    return new ProvisionRequest(
        model, offers, sharedLimits, other, deadlineSeconds, overheadSeconds, billing);
  }
}

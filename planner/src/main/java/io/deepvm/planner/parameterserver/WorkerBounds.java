package io.deepvm.planner.parameterserver;

import io.deepvm.workload.parameterserver.LossCurve;
import io.deepvm.workload.parameterserver.ParameterServerModel;

/** Between how many workers the paper's algorithm looks: equations 15 and 16. */
public record WorkerBounds(int lower, int upper) {

  /** Returns the bounds as published: the smallest batch needs the fewest samples. */
  public static WorkerBounds asPublished(ProvisionRequest request) {
    return of(request, false);
  }

  /**
   * Returns the bounds with a lower one that never excludes a solution: the samples needed are
   * concave in the batch, so that the largest batch may need fewer than the smallest.
   */
  public static WorkerBounds safe(ProvisionRequest request) {
    return of(request, true);
  }

  private static WorkerBounds of(ProvisionRequest request, boolean safe) {
    ParameterServerModel model = request.model();
    double smallest = Double.POSITIVE_INFINITY;
    double largest = 0;
    double fastest = 0;
    for (WorkerOffer offer : request.offers()) {
      if (offer.limit() + offer.running() > 0) {
        double batch = offer.type().batch();
        smallest = Math.min(smallest, batch);
        largest = Math.max(largest, batch);
        fastest = Math.max(fastest, batch / model.aloneSeconds(offer.type()));
      }
    }
    double samples = samples(request, smallest);
    if (safe) {
      samples = Math.min(samples, samples(request, largest));
    }
    double workers = samples / (fastest * request.deadlineSeconds());
    return new WorkerBounds(
        (int) Math.ceil(workers - 1e-9), model.profile().contention().mostWorkers());
  }

  /** The samples that one worker with this batch needs, gradients never being stale. */
  private static double samples(ProvisionRequest request, double batch) {
    LossCurve loss = request.model().profile().loss();
    Double current = request.goal().current();
    double target = request.goal().target();
    return batch
        * (current == null
            ? loss.iterationsTo(target, batch, 0, 1)
            : loss.iterationsBetween(current, target, batch, 0, 1));
  }
}

package io.deepvm.planner.parameterserver;

import io.deepvm.base.Durations;
import io.deepvm.base.Money;
import io.deepvm.planner.Goal;
import io.deepvm.planner.Hint;
import io.deepvm.planner.Planning;
import io.deepvm.planner.Setting;
import io.deepvm.workload.parameterserver.ClusterSpeed;
import io.deepvm.workload.parameterserver.LossCurve;
import io.deepvm.workload.parameterserver.LossGoal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Why no cluster meets a goal, and what would have to give by how much. */
public final class Relaxation {

  private static final int MOST_OFFERS = 5;
  private static final int MOST_MORE = 64;
  private static final int LOSS_STEPS = 3;
  private static final double LOSS_DIGITS = 1e4;

  private Relaxation() {}

  /**
   * Returns why no cluster that meets one of these requests was found within a price per hour,
   * which the requests do not hold yet, and what would have to give.
   *
   * @param proven whether the searches went through to the end
   */
  static Planning.Infeasible explain(
      List<ProvisionRequest> requests, Money ceiling, boolean proven) {
    ProvisionRequest any = requests.get(0);
    if (!any.model().profile().loss().reaches(any.goal().target())) {
      return explain(any);
    }
    ProvisionRequest cheapest = null;
    Money least = Goal.NO_CEILING;
    for (ProvisionRequest request : requests) {
      Provision found = LeastPerHour.of(request, least);
      if (found != null) {
        cheapest = request;
        least = found.pricePerHour();
      }
    }
    if (cheapest == null) {
      return explain(fastest(requests));
    }
    return least.compareTo(ceiling) > 0
        ? tooDear(cheapest, ceiling, least, proven)
        : new Planning.Infeasible(
            "The search passed over every cluster that meets the goal; one costs %s/h."
                .formatted(least),
            List.of(
                new Hint.Change("leave", Setting.COMPAT, "out to search exactly"),
                new Hint.Advice("loosen the goal a little")),
            null);
  }

  /** The request that can be met the soonest. */
  private static ProvisionRequest fastest(List<ProvisionRequest> requests) {
    ProvisionRequest fastest = requests.get(0);
    double least = Double.POSITIVE_INFINITY;
    for (ProvisionRequest request : requests) {
      Provision found = Fastest.of(request);
      if (found != null && found.seconds() < least) {
        fastest = request;
        least = found.seconds();
      }
    }
    return fastest;
  }

  private static Planning.Infeasible tooDear(
      ProvisionRequest cheapest, Money ceiling, Money least, boolean proven) {
    boolean timed = cheapest.deadlineSeconds() < Double.POSITIVE_INFINITY;
    List<Hint> relax = new ArrayList<>();
    relax.add(Hint.raise(Setting.MAX_PRICE_PER_HOUR, ceiling, least));
    Provision fastest = timed ? Fastest.of(cheapest.within(ceiling)) : null;
    if (fastest != null) {
      relax.add(
          Hint.raise(
              Setting.DEADLINE,
              print(cheapest.deadlineSeconds()),
              Durations.printEnough(fastest.seconds())));
    }
    return new Planning.Infeasible(
        "No cluster that reaches a loss of %s%s costs at most %s/h%s: the cheapest costs %s/h."
            .formatted(
                cheapest.goal().target(),
                timed ? " within " + print(cheapest.deadlineSeconds()) : "",
                ceiling,
                proven ? "" : ", as far as the search had the patience to look",
                least),
        relax,
        least);
  }

  /** Returns the reason and, one by one, the smallest changes after which a cluster would do. */
  public static Planning.Infeasible explain(ProvisionRequest request) {
    LossCurve loss = request.model().profile().loss();
    double target = request.goal().target();
    if (!loss.reaches(target)) {
      return new Planning.Infeasible(
          "The target loss %s is not above %s, below which this job never falls."
              .formatted(target, loss.floor()),
          List.of(
              new Hint.Change("raise", Setting.TARGET_LOSS, "above %s".formatted(loss.floor()))),
          null);
    }
    Provision fastest = Fastest.of(request);
    if (fastest == null) {
      return new Planning.Infeasible(
          "No worker may be rented: every quota is used up, or no offer was measured.",
          List.of(new Hint.Advice("raise a quota, or profile a GPU that is offered")),
          null);
    }
    List<Hint> relax = new ArrayList<>();
    relax.add(
        Hint.raise(
            Setting.DEADLINE,
            print(request.deadlineSeconds()),
            Durations.printEnough(fastest.seconds())));
    double reached = lossByDeadline(request, fastest);
    relax.add(Hint.raise(Setting.TARGET_LOSS, target, reached));
    String quota = quota(request);
    if (quota != null) {
      relax.add(new Hint.Advice(quota));
    }
    return new Planning.Infeasible(
        "No cluster reaches a loss of %s within %s: the fastest takes %s."
            .formatted(target, print(request.deadlineSeconds()), print(fastest.seconds())),
        relax,
        null);
  }

  private static String print(double seconds) {
    return Durations.print(Durations.ofSeconds(seconds));
  }

  /** About the least loss that can be reached in time, rounded up. */
  private static double lossByDeadline(ProvisionRequest request, Provision fastest) {
    Provision cluster = fastest;
    double loss = lossOf(request, cluster);
    for (int step = 0; step < LOSS_STEPS; step++) {
      LossGoal easier = new LossGoal(loss, request.goal().current());
      if (easier.current() != null && easier.current() <= loss) {
        break;
      }
      Provision better = Fastest.of(request.withGoal(easier));
      if (better == null || lossOf(request, better) >= loss) {
        break;
      }
      loss = lossOf(request, better);
    }
    return Math.ceil(loss * LOSS_DIGITS) / LOSS_DIGITS;
  }

  private static double lossOf(ProvisionRequest request, Provision plan) {
    ClusterSpeed speed = plan.training().speed();
    LossCurve curve = request.model().profile().loss();
    double iterations = request.trainingSeconds() / speed.iterationSeconds();
    Double current = request.goal().current();
    if (current == null) {
      return curve.loss(speed.batch(), speed.convergence(), speed.workers(), iterations);
    }
    double scale =
        curve.amplitude(speed.batch()) * curve.staleness(speed.convergence(), speed.workers());
    return curve.floor() + 1 / (curve.reach(current) + iterations / scale);
  }

  /** Returns the smallest quota increase that suffices, among the fastest offers; null if none. */
  private static @Nullable String quota(ProvisionRequest request) {
    List<Integer> byspeed =
        IntStream.range(0, request.offers().size())
            .boxed()
            .sorted(
                Comparator.comparingDouble(
                    i -> {
                      WorkerOffer offer = request.offers().get(i);
                      return -offer.type().batch() / request.model().aloneSeconds(offer.type());
                    }))
            .limit(MOST_OFFERS)
            .toList();
    int fewest = MOST_MORE + 1;
    String which = null;
    for (int offer : byspeed) {
      int more = more(request, offer, fewest);
      if (more < fewest) {
        fewest = more;
        which =
            "raise the quota of %s from %d to %d"
                .formatted(
                    request.offers().get(offer).type().name(),
                    request.offers().get(offer).limit(),
                    request.offers().get(offer).limit() + more);
      }
    }
    return which;
  }

  /** Returns the additional workers of this offer that are needed, or the bound if no fewer do. */
  private static int more(ProvisionRequest request, int offer, int below) {
    int failing = 0;
    int working = below - 1;
    if (working < 1 || !feasible(request, offer, working)) {
      return below;
    }
    while (working - failing > 1) {
      int middle = (failing + working) / 2;
      if (feasible(request, offer, middle)) {
        working = middle;
      } else {
        failing = middle;
      }
    }
    return working;
  }

  private static boolean feasible(ProvisionRequest request, int offer, int more) {
    List<WorkerOffer> offers = new ArrayList<>(request.offers());
    offers.set(offer, offers.get(offer).withLimit(offers.get(offer).limit() + more));
    Provision fastest = Fastest.of(request.withOffers(offers));
    return fastest != null && fastest.seconds() <= request.deadlineSeconds();
  }
}

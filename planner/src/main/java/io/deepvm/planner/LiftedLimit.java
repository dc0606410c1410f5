package io.deepvm.planner;

import io.deepvm.base.Durations;
import io.deepvm.base.Money;
import io.deepvm.base.Numbers;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.OfferFilter;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.planner.FilteredPlanner.PlanRequest;
import io.deepvm.workload.Job;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A limit of a request, and the request without it.
 *
 * @param name the limit in a sentence, such as "the GPU filter (T4)"
 * @param wayOut how to lift it
 */
record LiftedLimit(String name, Hint.Change wayOut, PlanRequest without) {

  /** A gain below this is not worth a sentence. */
  private static final double LEAST_GAIN = 0.01;

  /** Returns each limit that the request states, lifted alone. */
  static List<LiftedLimit> of(PlanRequest request) {
    List<LiftedLimit> lifted = new ArrayList<>(ofOffers(request));
    Goal goal = request.goal();
    boolean fast = goal.objective() == Objective.THROUGHPUT || goal.objective() == Objective.TIME;
    if (goal.deadline() != null && !fast) {
      lifted.add(
          new LiftedLimit(
              "the deadline (%s)".formatted(Durations.print(goal.deadline())),
              new Hint.Change("raise", Setting.DEADLINE, ""),
              request.with(goal.withLimits(goal.limits().withDeadline(null))).forOnePlan()));
    }
    if (goal.maxCost() != null && goal.objective() != Objective.COST) {
      lifted.add(
          new LiftedLimit(
              "the total cost (%s)".formatted(goal.maxCost()),
              new Hint.Change("raise", Setting.MAX_COST, ""),
              request.with(goal.withLimits(goal.limits().withCost(null))).forOnePlan()));
    }
    return lifted;
  }

  /** Returns each limit on the offers that the request states, lifted alone. */
  static List<LiftedLimit> ofOffers(PlanRequest given) {
    PlanRequest request = given.forOnePlan();
    OfferFilter filter = request.filter();
    Goal goal = request.goal();
    Catalog catalog = request.catalog();
    Job job = request.job();
    List<LiftedLimit> lifted = new ArrayList<>();
    if (!filter.gpus().isEmpty()) {
      lifted.add(
          new LiftedLimit(
              "the GPU filter (%s)".formatted(list(filter.gpus())),
              new Hint.Change("widen", Setting.GPU, ""),
              request.with(filter.withoutGpus())));
    }
    if (!filter.excluded().isEmpty()) {
      lifted.add(
          new LiftedLimit(
              "the exclusion (%s)".formatted(list(filter.excluded())),
              new Hint.Change("narrow", Setting.EXCLUDE, ""),
              request.with(filter.withoutExclusions())));
    }
    if (!filter.vendors().isEmpty()) {
      lifted.add(
          new LiftedLimit(
              "the vendor filter (%s)".formatted(vendors(filter)),
              new Hint.Change("widen", Setting.VENDOR, ""),
              request.with(filter.withoutVendors())));
    }
    if (!goal.places().isEmpty()) {
      lifted.add(
          new LiftedLimit(
              "the place filter (%s)".formatted(list(goal.places())),
              new Hint.Change("widen", Setting.PLACE, ""),
              request.with(goal.withOffers(goal.offers().withPlaces(List.of())))));
    }
    if (job.gpuMemory() != null) {
      lifted.add(
          new LiftedLimit(
              "the GPU memory (%s a replica)".formatted(job.gpuMemory()),
              new Hint.Change("lower", Setting.GPU_MEMORY, ""),
              request.with(job.withoutMemoryLimit())));
    } else if (job.profiles().model() != null && job.profiles().training().memoryBinds()) {
      lifted.add(
          new LiftedLimit(
              "the GPU memory that the model needs",
              new Hint.Change("state", Setting.GPU_MEMORY, "if it needs less"),
              request.with(job.withoutMemoryLimit())));
    }
    if (!catalog.quotas().isEmpty()) {
      lifted.add(
          new LiftedLimit(
              "the quota",
              new Hint.Change("raise", Setting.QUOTAS, ""),
              request.with(catalog.withQuotas(List.of()))));
    }
    return lifted;
  }

  /** Returns the plan that is better without the limit and by how much, or null if none is. */
  @Nullable String betterThan(Plan plan) {
    Plan other = best();
    String gain = other == null ? null : gain(other, plan);
    return other == null || gain == null
        ? null
        : "%s is %s at %s/h".formatted(describe(other), gain, other.pricePerHour());
  }

  /** Returns the plan that there is without the limit, or null if none. */
  @Nullable String possible() {
    Plan other = best();
    return other == null ? null : "%s for %s/h".formatted(describe(other), other.pricePerHour());
  }

  private @Nullable Plan best() {
    List<Plan> plans = without.plansIfAny();
    return plans.isEmpty() ? null : plans.get(0);
  }

  /** Returns by how much a plan is better, or null if it is not or cannot be compared. */
  private static @Nullable String gain(Plan better, Plan than) {
    Prediction a = better.predicted();
    Prediction b = than.predicted();
    return switch (than.objective()) {
      case FLOPP -> more(better.score(), than.score(), "better by FLOPP");
      case THROUGHPUT ->
          a.samplesPerSecond() != null && b.samplesPerSecond() != null
              ? more(a.samplesPerSecond(), b.samplesPerSecond(), "faster")
              : more(a.flops(), b.flops(), "faster");
      case TIME -> more(b.seconds(), a.seconds(), "faster");
      case COST -> less(dollars(a.cost()), dollars(b.cost()));
    };
  }

  private static @Nullable Double dollars(@Nullable Money cost) {
    return cost == null ? null : Double.valueOf(cost.dollars());
  }

  private static @Nullable String more(
      @Nullable Double larger, @Nullable Double smaller, String word) {
    double gain = larger == null || smaller == null ? 0 : larger / smaller - 1;
    return gain < LEAST_GAIN ? null : "%s %s".formatted(Numbers.percent(gain), word);
  }

  private static @Nullable String less(@Nullable Double smaller, @Nullable Double larger) {
    double gain = larger == null || smaller == null ? 0 : 1 - smaller / larger;
    return gain < LEAST_GAIN ? null : "%s cheaper in all".formatted(Numbers.percent(gain));
  }

  private static String describe(Plan plan) {
    String places =
        plan.nodes().stream()
            .filter(group -> group.role() == Role.WORKER)
            .map(group -> group.offer().place().toString())
            .distinct()
            .collect(Collectors.joining(", "));
    return "%s in %s".formatted(Explainer.describe(plan.nodes()), places);
  }

  /** Returns what a filter asks for, in a few words. */
  static String describe(OfferFilter filter) {
    List<String> parts = new ArrayList<>();
    if (!filter.gpus().isEmpty()) {
      parts.add("GPU %s".formatted(list(filter.gpus())));
    }
    if (!filter.vendors().isEmpty()) {
      parts.add("vendor %s".formatted(vendors(filter)));
    }
    if (!filter.excluded().isEmpty()) {
      parts.add("without %s".formatted(list(filter.excluded())));
    }
    return String.join(", ", parts);
  }

  private static String vendors(OfferFilter filter) {
    return filter.vendors().stream()
        .map(vendor -> vendor.name().toLowerCase(Locale.ROOT))
        .sorted()
        .collect(Collectors.joining(", "));
  }

  /** Returns the values with commas between. */
  static String list(Collection<?> values) {
    return values.stream()
        .map(
            value -> value instanceof PlaceFilter place ? place.pattern() : Objects.toString(value))
        .collect(Collectors.joining(", "));
  }
}

package io.deepvm.planner;

import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import io.deepvm.base.Suggestion;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Precision;
import io.deepvm.workload.Job;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Plans over all families of architectures and ranks their plans together where that is fair. */
public final class Architectures {

  private Architectures() {}

  /** Returns the names of all architectures. */
  public static List<String> names() {
    return ArchitectureFamily.ALL.stream()
        .flatMap(family -> family.architectures().stream())
        .toList();
  }

  /** Returns the family that an architecture belongs to. */
  public static ArchitectureFamily family(String name) {
    return ArchitectureFamily.ALL.stream()
        .filter(family -> family.architectures().contains(name))
        .findFirst()
        .orElseThrow(
            () ->
                new BadInput(
                    "There is no architecture '%s'.".formatted(name),
                    Suggestion.maybe(
                        name,
                        names(),
                        "Maybe choose one of %s.".formatted(String.join(", ", names())))));
  }

  /** Returns the best plans of the requested architectures, else of all that suit the job. */
  public static Planning plan(Catalog catalog, Job job, Goal goal) {
    goal.architectures().forEach(Architectures::family);
    boolean asked = !goal.architectures().isEmpty();
    List<Planning> found = new ArrayList<>();
    List<String> notes = new ArrayList<>();
    for (ArchitectureFamily family : ArchitectureFamily.ALL) {
      Set<String> wanted =
          family.architectures().stream()
              .filter(goal.architectures()::contains)
              .collect(Collectors.toUnmodifiableSet());
      if (asked ? wanted.isEmpty() : !family.knows(job)) {
        continue;
      }
      try {
        found.add(family.plan(catalog, job, goal.withArchitectures(wanted)));
      } catch (BadInput problem) {
        // A family that was not asked for is left out with a note.
        if (asked || found.isEmpty()) {
          throw problem;
        }
        notes.add(leftOut(family, String.valueOf(problem.getMessage())));
      }
    }
    Planning planning = together(job, goal, found, notes);
    String lacking = lacking(planning, job);
    return lacking == null ? planning : planning.noting(lacking);
  }

  /** Returns a note on the GPUs of the plans that lack the job's precision, or null. */
  private static @Nullable String lacking(Planning planning, Job job) {
    if (job.precision() != Precision.BF16) {
      return null;
    }
    String gpus =
        planning.plans().stream()
            .flatMap(plan -> plan.nodes().stream())
            .map(group -> group.offer().machine().gpus())
            .filter(g -> g != null && !g.model().has(Precision.BF16))
            .map(g -> g.model().name())
            .distinct()
            .sorted()
            .collect(Collectors.joining(", "));
    return gpus.isEmpty()
        ? null
        : "No bf16 on %s: planned at the speed of fp16, which needs loss scaling.".formatted(gpus);
  }

  private static String leftOut(ArchitectureFamily family, String reason) {
    return "Without %s: %s".formatted(String.join(", ", family.architectures()), reason);
  }

  private static Planning together(Job job, Goal goal, List<Planning> found, List<String> notes) {
    Planning first = found.get(0);
    found.forEach(planning -> notes.addAll(planning.notes()));
    if (found.size() == 1) {
      return first.withNotes(notes);
    }
    List<Plan> all = found.stream().flatMap(planning -> planning.plans().stream()).toList();
    if (all.stream().anyMatch(plan -> figure(plan) == null)) {
      notes.add(
          "Not ranked with %s: %s Ask for one architecture to see its plans."
              .formatted(
                  found.stream()
                      .skip(1)
                      .flatMap(planning -> planning.stages().stream())
                      .map(Planning.Stage::architecture)
                      .collect(Collectors.joining(", ")),
                  "the job lacks work.samples and work.flopPerSample, which make FLOPS and"
                      + " samples/s comparable."));
      return first.withNotes(notes);
    }
    if (job.measuredSpeeds().isEmpty() && job.profiles().speeds().model() == null) {
      notes.add(
          "Speeds of single-anchor and tiering come from peak FLOPS x work.utilisation, those of"
              + " the others from measurements.");
    }
    Map<String, Integer> leftOut = new TreeMap<>();
    found.forEach(planning -> planning.leftOut().forEach((k, v) -> leftOut.merge(k, v, Math::max)));
    Set<Kind> kinds = new HashSet<>();
    List<Plan> ranked =
        all.stream()
            .map(Architectures::scored)
            .sorted(BEST_FIRST)
            .filter(plan -> kinds.add(Kind.of(plan)))
            .limit(goal.alternatives())
            .toList();
    return new Planning(
        goal,
        first.ranking(),
        leftOut,
        found.stream().flatMap(planning -> planning.stages().stream()).toList(),
        ranked,
        first.paretoFront(),
        ranked.isEmpty() ? first.infeasible() : null,
        notes);
  }

  /** Plans that differ in places alone are one kind: a short list should show several. */
  private record Kind(String architecture, List<String> workers) {

    static Kind of(Plan plan) {
      return new Kind(
          plan.architecture(),
          plan.nodes().stream()
              .filter(group -> group.role() == Role.WORKER)
              .map(group -> group.offer().machine().name())
              .toList());
    }
  }

  private static final Comparator<Plan> BEST_FIRST =
      Comparator.comparingDouble(Architectures::merit)
          .reversed()
          .thenComparing(Plan::pricePerHour)
          .thenComparingInt(Plan::size);

  private static double merit(Plan plan) {
    return plan.objective() == Objective.THROUGHPUT ? plan.score() : -plan.score();
  }

  /** One unit for all of a ranking: samples/s, dollars or seconds. */
  private static Plan scored(Plan plan) {
    return plan.withScore(Objects.requireNonNull(figure(plan)));
  }

  private static @Nullable Double figure(Plan plan) {
    Prediction predicted = plan.predicted();
    Money cost = predicted.cost();
    return switch (plan.objective()) {
      case FLOPP -> null;
      case THROUGHPUT -> predicted.samplesPerSecond();
      case COST -> cost == null ? null : plan.score();
      case TIME -> predicted.seconds();
    };
  }
}

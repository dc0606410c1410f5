package io.deepvm.cli.print;

import io.deepvm.base.Durations;
import io.deepvm.base.Numbers;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A deadline that a policy keeps although none was given.
 *
 * @param seconds null where the policy keeps none
 */
public record AssumedDeadline(String policy, @Nullable Double seconds) {

  /** Returns which policies keep which deadline, or null when no policy assumes one. */
  public static @Nullable String sentence(double workSeconds, List<AssumedDeadline> policies) {
    double kept = 0;
    for (AssumedDeadline policy : policies) {
      Double seconds = policy.seconds();
      kept = seconds == null ? kept : Math.max(kept, seconds);
    }
    if (kept == 0) {
      return null;
    }
    List<String> names =
        policies.stream().filter(p -> p.seconds() != null).map(AssumedDeadline::policy).toList();
    return "No deadline was given; %s %s %s x the undisturbed time: %s."
        .formatted(
            names.stream().collect(Collectors.joining(", ")),
            names.size() == 1 ? "keeps" : "keep",
            Numbers.print(kept / workSeconds),
            Durations.print(Durations.ofSeconds(kept)));
  }
}

package io.deepvm.cli.print;

import io.deepvm.planner.Objective;
import io.deepvm.planner.Plan;
import io.deepvm.units.Durations;
import io.deepvm.units.Numbers;
import java.util.Locale;

/** Numbers as people read them. */
public final class Figures {

  private Figures() {}

  /** Prints a whole number with its thousands apart. */
  public static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** Prints a speed as "65 TFLOPS", or plainly where the catalog has a unit of its own. */
  public static String flops(double value, boolean stated) {
    return stated ? Numbers.print(value) : Numbers.scaled(value, "FLOPS");
  }

  /** Prints operations per dollar as "1.5 EFLOP/$", or plainly in the catalog's own unit. */
  public static String flopp(double value, boolean stated) {
    return stated ? Numbers.print(value) : Numbers.scaled(value, "FLOP/$");
  }

  /** Prints a relative difference as "+1.2 %"; one that is only rounding is none. */
  public static String percent(double share) {
    return Math.abs(share) < 1e-9
        ? "0 %"
        : String.format(Locale.ROOT, Math.abs(share) < 5e-4 ? "%+.2g %%" : "%+.1f %%", share * 100);
  }

  /** Prints a plan's score in the unit of its objective. */
  public static String score(Plan plan) {
    return score(plan.objective(), plan.score(), isStated(plan));
  }

  private static String score(Objective objective, double score, boolean stated) {
    return switch (objective) {
      case FLOPP -> flopp(score, stated);
      case THROUGHPUT -> flops(score, stated);
      case COST -> dollars(score);
      case TIME -> Durations.print(Durations.ofSeconds(score));
    };
  }

  /** Prints an amount that was computed, not listed: to the cent. */
  public static String dollars(double amount) {
    return String.format(Locale.ROOT, "$%,.2f", amount);
  }

  /** Whether the plan's speeds are in a unit of the catalog's own. */
  public static boolean isStated(Plan plan) {
    return plan.nodes().stream().anyMatch(g -> g.offer().machine().statedFlops() != null);
  }
}

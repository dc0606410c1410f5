package io.deepvm.cli.print;

import io.deepvm.base.Durations;
import io.deepvm.base.Numbers;
import io.deepvm.planner.Plan;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

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

  /** Prints a plan's speed in FLOPS, or a dash where the model speaks of samples only. */
  static String flops(Plan plan) {
    Double flops = plan.predicted().flops();
    return flops == null ? "-" : flops(flops, isStated(plan));
  }

  /** Prints samples per second to the tenth. */
  static String samples(@Nullable Double perSecond) {
    return perSecond == null
        ? "-"
        : String.format(Locale.ROOT, perSecond < 1000 ? "%.1f" : "%,.0f", perSecond);
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
    double score = plan.score();
    return switch (plan.objective()) {
      case FLOPP -> flopp(score, isStated(plan));
      case THROUGHPUT ->
          plan.predicted().flops() == null
              ? samples(score) + " samples/s"
              : flops(score, isStated(plan));
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

package io.deepvm.cli.print;

import io.deepvm.planner.Hint;
import io.deepvm.planner.Planning.Infeasible;
import io.deepvm.planner.Setting;
import java.util.List;
import java.util.Locale;

/** Ways out of a goal that no plan meets, with the names of options. */
public final class Hints {

  private Hints() {}

  /** Returns the ways out as phrases, such as "raise --deadline from 1 h to 4 h". */
  static List<String> phrases(Infeasible infeasible) {
    return infeasible.relax(Hints::option);
  }

  /** Returns the ways out as sentences. */
  public static List<String> sentences(Infeasible infeasible) {
    return infeasible.relax().stream().map(Hints::sentence).toList();
  }

  private static String sentence(Hint hint) {
    String phrase = hint.text(Hints::option);
    return hint instanceof Hint.LeftOut
        ? "L%s.".formatted(phrase.substring(1))
        : "Maybe %s.".formatted(phrase);
  }

  private static String option(Setting setting) {
    return setting == Setting.QUOTAS
        ? "the quotas"
        : "--" + setting.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

package io.deepvm.handover;

import io.deepvm.base.PlainText;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** What the head of a file says: the plan, and what is lost in translation. */
final class Notes {

  /** Line ends to YAML, though not to terminals. */
  private static final Pattern BREAKS = Pattern.compile("[\\u2028\\u2029]");

  private final List<String> lines = new ArrayList<>();

  Notes(HandedPlan plan) {
    lines.add(
        "Written by 'deepvm export'. Plan %d (%s): %s, $%s/h."
            .formatted(
                plan.rank(), plan.architecture(), plan.words(), plan.usdPerHour().toPlainString()));
    lines.add("Lost in translation:");
  }

  Notes lost(String sentence) {
    lines.add("- " + sentence);
    return this;
  }

  /** Adds how many processes nodes start, where that may surprise. */
  Notes about(Processes processes) {
    String sentence = processes.sentence();
    return sentence == null ? this : lost(sentence);
  }

  /** Returns the lines; no text of the plan can end a comment. */
  List<String> lines() {
    return lines.stream().map(line -> BREAKS.matcher(PlainText.of(line)).replaceAll(" ")).toList();
  }

  /** Returns the lines as comments that begin with '#'. */
  String comment() {
    StringBuilder text = new StringBuilder();
    lines().forEach(line -> text.append("# ").append(line).append('\n'));
    return text.toString();
  }
}

package io.deepvm.planner;

import java.util.function.Function;

/** A way out of a goal that no plan meets. */
public sealed interface Hint {

  /**
   * Returns the hint as a phrase, such as "raise DEADLINE from 1 h to 4 h".
   *
   * @param names how a setting is called
   */
  String text(Function<Setting, String> names);

  /** Returns the hint to raise a limit from one value to another. */
  static Change raise(Setting setting, Object from, Object to) {
    return new Change("raise", setting, "from %s to %s".formatted(from, to));
  }

  /**
   * A setting to change.
   *
   * @param verb what to do with it, such as "raise" or "widen"
   * @param how by how much or why; may be empty
   */
  record Change(String verb, Setting setting, String how) implements Hint {

    @Override
    public String text(Function<Setting, String> names) {
      return "%s %s".formatted(verb, object(names));
    }

    private String object(Function<Setting, String> names) {
      String name = names.apply(setting);
      return how.isEmpty() ? name : "%s %s".formatted(name, how);
    }
  }

  /** Two settings to change together; both have the verb of the first. */
  record Both(Change first, Change second) implements Hint {

    @Override
    public String text(Function<Setting, String> names) {
      return "%s and %s".formatted(first.text(names), second.object(names));
    }
  }

  /**
   * A limit without which there is a plan.
   *
   * @param lift the change that lifts the limit
   * @param plan the plan, and its price per hour
   */
  record Without(Change lift, String plan) implements Hint {

    @Override
    public String text(Function<Setting, String> names) {
      return "%s: without it, %s meets the goal".formatted(lift.text(names), plan);
    }
  }

  /** Offers that were left out for one reason. */
  record LeftOut(String reason, int count) implements Hint {

    @Override
    public String text(Function<Setting, String> names) {
      return "left out: %d %s".formatted(count, reason);
    }
  }

  /** A change outside the settings of the request. */
  record Advice(String phrase) implements Hint {

    @Override
    public String text(Function<Setting, String> names) {
      return phrase;
    }
  }
}

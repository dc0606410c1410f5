package io.deepvm.cluster.core;

import io.deepvm.cluster.log.Logged;
import java.util.List;

/**
 * The decisions of a run: a state, an input and a time give the events that follow, and so the next
 * state. The caller writes the events to the log before it acts on them.
 */
public final class RunMachine {

  /** More rounds than any input needs; reaching it means that two rules contradict each other. */
  private static final int MOST_ROUNDS = 1_000;

  private static final List<Rule> RULES =
      List.of(
          new Stopping(),
          new Booting(),
          new Returning(),
          new Sparing(),
          new Restarting(),
          new Forming(),
          new Blaming(),
          new Silence(),
          new Gathering(),
          new Training(),
          new Finishing(),
          new Servers(),
          new Denials(),
          new Waiting(),
          new Heartbeat());

  private RunMachine() {}

  /**
   * What follows from an input.
   *
   * @param events in the order in which they hold
   * @param asksPolicy whether the policy is to be asked now
   * @param tick whether it is asked because the market was read again
   */
  public record Decision(RunState state, List<Logged> events, boolean asksPolicy, boolean tick) {}

  /** Returns what follows from an input. */
  public static Decision step(RunState state, Input input, Now now) {
    Turn turn = new Turn(state, now);
    Intake.take(turn, input);
    for (int round = 0; ; round++) {
      int before = turn.events().size();
      RULES.forEach(rule -> rule.apply(turn));
      if (turn.events().size() == before) {
        break;
      }
      if (round > MOST_ROUNDS) {
        throw new IllegalStateException("The rules do not settle after " + input);
      }
    }
    boolean asks = turn.asks() && turn.state().rents();
    return new Decision(turn.state(), List.copyOf(turn.events()), asks, asks && turn.tick());
  }

  /** Returns when the machine wants a {@link Input.Tick} at the latest. */
  public static long wakeMs(RunState state) {
    return RULES.stream().mapToLong(rule -> rule.wakeMs(state)).min().orElse(Long.MAX_VALUE);
  }
}

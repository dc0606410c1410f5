package io.deepvm.cluster.core;

import io.deepvm.cluster.log.Event;

/** Decides whose fault it is when processes end or members do not reach each other. */
final class Blaming implements Rule {

  /** A node that others cannot reach in this many generations in a row has no place in the next. */
  private static final int MOST_SUSPECTED = 3;

  /**
   * Follows up a suspicion. If the suspected node is gone, the cloud or the link reports so within
   * the pause; else all members meet again.
   */
  static void suspected(Turn turn, String suspect) {
    RunState state = turn.state();
    if (Kinds.isCommand(state)) {
      return;
    }
    double pause = turn.facts().spec().patience().joinSeconds();
    NodeLife life = state.find(suspect);
    if (life != null && life.lives()) {
      int times = life.doubt().suspected();
      if (times >= MOST_SUSPECTED) {
        String how = "members could not reach it in %d generations, one after the other";
        turn.lose(life, how.formatted(times));
        return;
      }
      pause = times <= 1 ? pause : Kinds.timeouts(state).sessionSeconds();
    }
    long due = turn.nowMs() + Kinds.ms(pause);
    turn.write(
        new Event.Reforming(state.membership().number(), due, state.membership().restarts()));
  }

  @Override
  public void apply(Turn turn) {
    RunState state = turn.state();
    Failure failure = state.failure();
    if (failure != null && isOpen(state, failure) && turn.nowMs() >= failure.dueMs()) {
      turn.failed(state.node(failure.node()), failure.what());
    }
  }

  /** A process fails when another node is lost, and the loss may be reported a little later. */
  private static boolean isOpen(RunState state, Failure failure) {
    return !state.isOver()
        && failure.generation() == state.membership().number()
        && state.members().stream().allMatch(life -> life.lives() && !life.hasDeparted());
  }

  @Override
  public long wakeMs(RunState state) {
    Failure failure = state.failure();
    return failure != null && isOpen(state, failure) ? failure.dueMs() : Long.MAX_VALUE;
  }
}

package io.deepvm.cluster.core;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunPhase;
import java.util.ArrayList;
import java.util.List;

/** Forms the next generation whenever members come, go or have to meet again. */
final class Gathering implements Rule {

  @Override
  public void apply(Turn turn) {
    RunState state = turn.state();
    if (!state.goesOn() || !Returning.allBack(state)) {
      return;
    }
    List<NodeLife> next = eligible(state);
    if (isUrgent(state, next, turn.nowMs()) || turn.nowMs() >= gatheredMs(state, next)) {
      form(turn, next);
    }
  }

  /** Returns the nodes that can be members: present members keep their order, others follow. */
  private static List<NodeLife> eligible(RunState state) {
    List<NodeLife> next = new ArrayList<>();
    for (NodeLife life : state.members()) {
      if (life.ready() && state.heard(life)) {
        next.add(life);
      }
    }
    for (NodeLife life : state.living()) {
      boolean joins = life.ready() && state.heard(life) && life.state() != NodeState.NOTICED;
      if (joins && !state.membership().has(life.name())) {
        next.add(life);
      }
    }
    return next;
  }

  /** Whether the generation cannot go on as it is. */
  private static boolean isUrgent(RunState state, List<NodeLife> next, long nowMs) {
    Membership membership = state.membership();
    if (membership.number() == 0 || state.is(RunPhase.WAITING)) {
      return false;
    }
    boolean lost = !names(next).containsAll(membership.names());
    boolean other =
        state.is(RunPhase.TRAINING)
            && state.members().stream().anyMatch(life -> life.part() instanceof Part.Idle);
    return lost || other || nowMs >= membership.dueMs();
  }

  /**
   * Returns when the nodes that wait to join have waited long enough for others; the first
   * generation waits longer for nodes that still boot.
   */
  private static long gatheredMs(RunState state, List<NodeLife> next) {
    boolean anew = state.is(RunPhase.WAITING);
    long first =
        next.stream()
            .filter(life -> anew || !state.membership().has(life.name()))
            .mapToLong(life -> life.since().readyMs())
            .min()
            .orElse(Long.MAX_VALUE);
    if (first == Long.MAX_VALUE || (anew && isTooFew(state, next))) {
      return Long.MAX_VALUE;
    }
    first = Math.max(first, state.openedMs());
    boolean others =
        state.living().stream()
            .anyMatch(
                life -> life.state() == NodeState.REQUESTED || life.state() == NodeState.BOOTING);
    boolean waits = state.membership().number() == 0 && others;
    double patience =
        waits
            ? Math.max(
                state.facts().spec().patience().firstSeconds(),
                state.facts().spec().patience().joinSeconds())
            : state.facts().spec().patience().joinSeconds();
    return first + Kinds.ms(patience);
  }

  private static boolean isTooFew(RunState state, List<NodeLife> next) {
    long workers = next.stream().filter(NodeLife::isWorker).count();
    return workers < state.facts().spec().minWorkers()
        || next.size() - workers < state.facts().spec().servers();
  }

  private static List<String> names(List<NodeLife> nodes) {
    return nodes.stream().map(NodeLife::name).toList();
  }

  private static void form(Turn turn, List<NodeLife> next) {
    RunState state = turn.state();
    if (isTooFew(state, next)) {
      if (!state.is(RunPhase.WAITING)) {
        long workers = next.stream().filter(NodeLife::isWorker).count();
        turn.write(
            new Event.RunTurned(RunPhase.WAITING, "%d workers are too few".formatted(workers)));
      }
      return;
    }
    Membership before = state.membership();
    turn.write(new Event.Generation(before.number() + 1, names(next), before.restarts()));
    turn.write(new Event.RunTurned(RunPhase.FORMING, ""));
    for (NodeLife life : next) {
      if (life.state() == NodeState.TRAINING) {
        turn.turn(life, NodeState.READY, "");
      }
    }
  }

  @Override
  public long wakeMs(RunState state) {
    if (!state.goesOn() || !Returning.allBack(state)) {
      return Long.MAX_VALUE;
    }
    long due = state.is(RunPhase.WAITING) ? Long.MAX_VALUE : state.membership().dueMs();
    return Math.min(due, gatheredMs(state, eligible(state)));
  }
}

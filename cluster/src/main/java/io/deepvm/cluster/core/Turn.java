package io.deepvm.cluster.core;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunPhase;
import java.util.ArrayList;
import java.util.List;

/** One input under way: the state so far, and what was decided. */
final class Turn {

  private final Now now;
  private final List<Logged> events = new ArrayList<>();
  private RunState state;
  private boolean asks;
  private boolean tick;

  Turn(RunState state, Now now) {
    this.state = state;
    this.now = now;
  }

  RunState state() {
    return state;
  }

  RunFacts facts() {
    return state.facts();
  }

  Now now() {
    return now;
  }

  long nowMs() {
    return now.atMs();
  }

  List<Logged> events() {
    return events;
  }

  /** Whether the policy is to be asked. */
  boolean asks() {
    return asks;
  }

  /** Whether the policy is asked because the market was read again. */
  boolean tick() {
    return tick;
  }

  /** Adds an event, which holds at once. */
  void write(Event event) {
    Logged logged = new Logged(now.atMs(), now.marketMs(), event);
    state = state.after(logged);
    events.add(logged);
  }

  /** Turns a node to another state. */
  void turn(NodeLife life, NodeState to, String reason) {
    write(new Event.NodeTurned(life.name(), to, reason));
  }

  /** Gives a node up: its machine will be ended, and the others go on without it. */
  void lose(NodeLife life, String how) {
    if (state.node(life.name()).lives() && !state.isOver()) {
      turn(life, NodeState.LOST, how);
      askPolicy();
    }
  }

  /** Has the policy asked after this input. */
  void askPolicy() {
    asks = true;
  }

  /** Has the policy asked after this input, because the market was read again. */
  void askPolicyAtTick() {
    asks = true;
    tick = true;
  }

  /** Decides how the run ends. */
  void conclude(RunPhase outcome, String why) {
    if (!state.isOver()) {
      write(new Event.RunTurned(RunPhase.STOPPING, why, outcome));
    }
  }

  /** Restarts after a process failed by its own fault, as often as the work allows. */
  void failed(NodeLife life, String what) {
    if (state.isOver()) {
      return;
    }
    int restarts = state.membership().restarts() + 1;
    if (restarts > facts().spec().work().maxRestarts()) {
      conclude(RunPhase.FAILED, "%s (on %s)".formatted(what, life.name()));
    } else if (Kinds.isCommand(state)) {
      write(new Event.Reforming(state.membership().number(), nowMs(), restarts));
    } else {
      int next = life.agent() == null ? 1 : life.agent().number() + 1;
      write(new Event.Restarted(life.name(), next, restarts));
    }
  }
}

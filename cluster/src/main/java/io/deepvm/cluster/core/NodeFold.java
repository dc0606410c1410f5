package io.deepvm.cluster.core;

import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.member.Member;
import io.deepvm.market.Pool;
import org.jspecify.annotations.Nullable;

/** How each event changes the node that it names. */
final class NodeFold {

  private NodeFold() {}

  /** Returns the number of the first process that a new agent may start. */
  static int firstStart(RunFacts facts) {
    return facts.spec().work().kind() == Work.Kind.MEMBER ? 1 : 0;
  }

  /**
   * Returns the node in another state.
   *
   * @param stops whether the run stops, so that nothing is waited for
   */
  static NodeLife turned(NodeLife life, NodeState to, long ms, RunFacts facts, boolean stops) {
    if (!life.state().mayTurn(to)) {
      throw new IllegalStateException(
          "The node %s cannot go from %s to %s.".formatted(life.name(), life.state(), to));
    }
    boolean spared = life.state() == NodeState.NOTICED && !to.isEnd();
    NodeLife next =
        (spared && life.hasDeparted() ? life.with((Part) new Part.Idle()) : life).with(to);
    return switch (to) {
      case READY -> life.state() == NodeState.TRAINING ? next : next.readySince(ms);
      // Its process has ended, and so has the part that the process played.
      case BOOTING -> next.hasFinished() ? next : next.with((Part) new Part.Idle());
      case RELEASED -> next.with(stops ? owed(life.machine()) : leaving(life, ms, facts));
      // A repeated order may have been granted meanwhile, so even a refused node is ended.
      case LOST, FAILED, REFUSED -> next.with(owed(life.machine()));
      case REQUESTED, TRAINING, NOTICED -> next;
    };
  }

  /** An agent that has reported ends its process in order before the machine is ended. */
  private static Machine leaving(NodeLife life, long ms, RunFacts facts) {
    if (life.machine() instanceof Machine.Granted granted && life.agent() != null) {
      double patience = facts.spec().work().timeouts().stopSeconds() + 1;
      return new Machine.Leaving(granted.handle(), ms + Math.round(1000 * patience));
    }
    return owed(life.machine());
  }

  private static Machine owed(Machine machine) {
    return machine instanceof Machine.Gone ? machine : new Machine.Owed(machine.handle());
  }

  /** Whether a node ended before its agent ever reported, though no one took it or gave it back. */
  static boolean diedUnheard(NodeLife before, NodeState to) {
    boolean taken = before.machine() instanceof Machine.Gone gone && gone.taken();
    boolean died = to == NodeState.FAILED || to == NodeState.LOST;
    return before.agent() == null && died && !taken;
  }

  static NodeLife registered(NodeLife life, Event.Registered e, long epoch) {
    AgentFacts before = life.agent();
    NodeLife next = life.with(new AgentFacts(e.host(), e.number(), e.ready(), e.port(), epoch));
    // Another process plays no part yet.
    boolean other = before != null && before.number() != e.number();
    return other && life.part() instanceof Part.Joined ? next.with((Part) new Part.Idle()) : next;
  }

  static NodeLife granted(NodeLife life, String handle) {
    return life.machine() instanceof Machine.Ordered
        ? life.with((Machine) new Machine.Granted(handle))
        : life;
  }

  static NodeLife joined(NodeLife life, Event.Joined e) {
    return life.with((Part) new Part.Joined(e.generation())).with(life.doubt().withUnformed(0));
  }

  /**
   * A member has one form timeout however many generations pass; each is asked to join the next.
   */
  static NodeLife asked(NodeLife life, long generation, long ms, RunFacts facts) {
    Work.Timeouts timeouts = facts.spec().work().timeouts();
    boolean command = facts.spec().work().kind() == Work.Kind.COMMAND;
    long fresh =
        ms + Math.round(1000 * (command ? timeouts.meetSeconds() : timeouts.formSeconds()));
    boolean waits =
        !command && life.part() instanceof Part.Asked asked && asked.untilMs() < Long.MAX_VALUE;
    long until = waits ? ((Part.Asked) life.part()).untilMs() : fresh;
    return life.with((Part) new Part.Asked(generation, until));
  }

  static NodeLife extended(NodeLife life, long untilMs) {
    return life.part() instanceof Part.Asked asked && asked.untilMs() < Long.MAX_VALUE
        ? life.with((Part) new Part.Asked(asked.generation(), untilMs))
        : life;
  }

  /** A member that says why it waits is not the one that does not form. */
  static NodeLife suspects(NodeLife life, long generation) {
    NodeLife next = life.with(life.doubt().reported(generation));
    return life.part() instanceof Part.Asked asked
        ? next.with((Part) new Part.Asked(asked.generation(), Long.MAX_VALUE))
        : next;
  }

  static NodeLife exited(NodeLife life, Event.Exited e, RunFacts facts) {
    NodeLife next =
        life.with(life.process().withExited(Math.max(e.number(), life.process().exited())));
    boolean command = facts.spec().work().kind() == Work.Kind.COMMAND;
    return command && e.code() == 0 && life.part().generation() == e.generation()
        ? next.with((Part) new Part.Done(e.generation()))
        : next;
  }

  /** A process that is killed because it did not form gets the form timeout once more. */
  static NodeLife killed(NodeLife life, Event.Killed e, long ms, RunFacts facts) {
    NodeLife next = life.with(life.process().withKilled(e.number(), e.reason()));
    if (!(life.part() instanceof Part.Asked asked)) {
      return next;
    }
    long until = ms + Math.round(1000 * facts.spec().work().timeouts().formSeconds());
    return next.with((Part) new Part.Asked(asked.generation(), until))
        .with(life.doubt().withUnformed(life.doubt().unformed() + 1));
  }

  /** Returns the failure to look into later: the first one of a command in this generation. */
  static @Nullable Failure failure(RunState state, NodeLife life, Event.Exited e, long ms) {
    RunFacts facts = state.facts();
    if (state.failure() != null
        || facts.spec().work().kind() != Work.Kind.COMMAND
        || e.code() == 0
        || e.generation() != state.membership().number()
        || life.state() == NodeState.NOTICED) {
      return state.failure();
    }
    long due = ms + Math.round(1000 * facts.spec().patience().blameSeconds());
    return new Failure(e.node(), Words.exit(facts.spec().work(), e), e.generation(), due);
  }

  static NodeLife warned(NodeLife life, Event.Warned e, long ms) {
    NodeLife.Warning next = life.process().warning().next(ms, e.leadSeconds(), e.machineNotice());
    return life.with(life.process().withWarning(next));
  }

  static NodeLife departed(NodeLife life) {
    return life.with((Part) new Part.Departed());
  }

  /** Returns the node as others see it in a generation. */
  static Member member(NodeLife life, RunFacts facts) {
    AgentFacts agent = life.agent();
    if (agent == null) {
      throw new IllegalStateException("The member %s never reported.".formatted(life.name()));
    }
    Pool pool = facts.pools().get(life.rented().pool());
    return new Member(
        life.name(),
        life.rented().role(),
        agent.host(),
        agent.port(),
        pool.place().toString(),
        facts.spec().work().processes(pool.instanceType()));
  }
}

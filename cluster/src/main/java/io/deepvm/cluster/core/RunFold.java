package io.deepvm.cluster.core;

import io.deepvm.checkpoint.TicketState;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.member.Member;
import io.deepvm.places.News;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How each event changes the state of a run. */
final class RunFold {

  /** The first member saves for all before it reports that it is done; others may be early. */
  private static final long FIRST_FINISH_MS = 500;

  private static final long OTHER_FINISH_MS = 10_000;

  private RunFold() {}

  /** Returns the state after an event; throws if no rule is for it. */
  static RunState after(RunState state, Logged logged) {
    RunState next = ofRun(state, logged);
    next = next == null ? ofProcess(state, logged) : next;
    next = next == null ? ofNode(state, logged) : next;
    if (next == null && !isRecordOnly(logged.event())) {
      throw new IllegalStateException("No rule for the event " + logged.event());
    }
    return next == null ? state : next;
  }

  /** Whether the event is written for readers and changes no decision. */
  private static boolean isRecordOnly(Event event) {
    return event instanceof Event.Paced
        || event instanceof Event.Broken
        || event instanceof Event.Refused
        || event instanceof Event.Taken;
  }

  private static @Nullable RunState ofRun(RunState state, Logged logged) {
    Event event = logged.event();
    long ms = logged.atMs();
    if (event instanceof Event.Started || event instanceof Event.Resumed) {
      return opened(state, logged);
    } else if (event instanceof Event.RunTurned e) {
      return turned(state, e, logged);
    } else if (event instanceof Event.Alive) {
      // During a stop it says that output still arrives.
      return state.is(RunPhase.STOPPING) ? state.with(state.phase().since(ms)) : state;
    } else if (event instanceof Event.Waits) {
      return state.with(state.phase().said(ms));
    } else if (event instanceof Event.Priced e) {
      Map<Integer, Long> prices = put(state.pools().spotPrices(), e.pool(), e.microsPerHour());
      return state.with(new RunState.PoolFacts(state.pools().withheld(), prices));
    } else if (event instanceof Event.Withheld e) {
      Map<Integer, Long> withheld = put(state.pools().withheld(), e.pool(), e.untilMs());
      return state.with(new RunState.PoolFacts(withheld, state.pools().spotPrices()));
    } else if (event instanceof Event.Generation e) {
      return formed(state, e, ms);
    } else if (event instanceof Event.Reforming e) {
      return state
          .with(state.membership().due(e.dueMs(), e.restarts()))
          .with(state.troubles().with((Failure) null));
    } else if (event instanceof Event.Parting e) {
      long until = ms + Kinds.ms(Kinds.timeouts(state).stopSeconds());
      Parting parting = new Parting(e.outcome(), e.reason(), e.step(), until);
      return state.with(state.troubles().with(parting));
    }
    return null;
  }

  private static Map<Integer, Long> put(Map<Integer, Long> map, int key, long value) {
    Map<Integer, Long> more = new TreeMap<>(map);
    more.put(key, value);
    return Collections.unmodifiableMap(more);
  }

  private static RunState opened(RunState state, Logged logged) {
    long ms = logged.atMs();
    RunState.Phase phase = state.phase();
    return state
        .with(new RunState.Coordination(state.epoch() + 1, ms, state.atMs()))
        .with(state.steps().moved(logged))
        .with(
            new RunState.Phase(
                phase.now(), phase.reason(), phase.outcome(), ms, logged.marketMs(), ms));
  }

  private static RunState turned(RunState state, Event.RunTurned e, Logged logged) {
    RunState.Phase phase = state.phase();
    if (!phase.now().mayTurn(e.to())) {
      throw new IllegalStateException(
          "A run cannot go from %s to %s.".formatted(phase.now(), e.to()));
    }
    boolean goesOn = waits(e.to()) && waits(phase.now());
    RunState.Phase next =
        new RunState.Phase(
            e.to(),
            e.reason(),
            e.outcome() == null ? phase.outcome() : e.outcome(),
            goesOn ? phase.sinceMs() : logged.atMs(),
            goesOn ? phase.sinceMarketMs() : logged.marketMs(),
            goesOn ? phase.saidMs() : logged.atMs());
    Steps steps = state.steps();
    return state
        .with(next)
        .with(e.to() == RunPhase.TRAINING ? steps.moved(logged) : steps)
        .with(
            e.to() == RunPhase.WAITING ? state.troubles().with((Parting) null) : state.troubles());
  }

  private static boolean waits(RunPhase phase) {
    return phase == RunPhase.WAITING || phase == RunPhase.FORMING;
  }

  private static RunState formed(RunState state, Event.Generation e, long ms) {
    if (e.number() <= state.membership().number()) {
      throw new IllegalStateException(
          "Generation %d cannot follow %d.".formatted(e.number(), state.membership().number()));
    }
    List<Member> members = new ArrayList<>();
    RunState next = state;
    for (String name : e.members()) {
      NodeLife life = state.node(name);
      members.add(NodeFold.member(life, state.facts()));
      next = next.with(NodeFold.asked(life, e.number(), ms, state.facts()));
    }
    return next.with(new Membership(e.number(), members, ms, e.restarts(), Long.MAX_VALUE, false))
        .with(state.troubles().with((Failure) null));
  }

  /** Events about the work of training processes. */
  private static @Nullable RunState ofProcess(RunState state, Logged logged) {
    Event event = logged.event();
    long ms = logged.atMs();
    if (event instanceof Event.Progress e) {
      NodeLife life = state.node(e.node());
      // The report of the first member that joined may be lost with its process.
      boolean begins = e.generation() == state.membership().number();
      return state
          .with(begins ? state.membership().begins() : state.membership())
          .with(state.steps().at(Math.max(e.step(), state.steps().step()), logged))
          .with(life.with(life.doubt().stepped()));
    } else if (event instanceof Event.Joined e) {
      return joined(state, e, logged);
    } else if (event instanceof Event.Saved e) {
      NodeLife life = state.node(e.node());
      Steps steps = state.steps();
      return state
          .with(life.with(life.process().withSaved(e.state(), e.step())))
          .with(TicketState.reaches(e.state(), Level.DURABLE) ? steps.safe(e.step()) : steps);
    } else if (event instanceof Event.Completed e) {
      List<String> names = state.membership().names();
      boolean first = !names.isEmpty() && names.get(0).equals(e.node());
      NodeLife life = state.node(e.node());
      return state
          .with(life.with((Part) new Part.Finished(state.membership().number())))
          .with(state.steps().finishing(ms + (first ? FIRST_FINISH_MS : OTHER_FINISH_MS)));
    } else if (event instanceof Event.Forming) {
      long until = ms + Kinds.ms(Kinds.timeouts(state).formSeconds());
      RunState next = state;
      for (NodeLife life : state.members()) {
        next = next.with(NodeFold.extended(life, until));
      }
      return next;
    } else if (event instanceof Event.Exited e) {
      NodeLife life = state.node(e.node());
      return state
          .with(state.troubles().with(NodeFold.failure(state, life, e, ms)))
          .with(NodeFold.exited(life, e, state.facts()))
          .with(state.steps().moved(logged));
    } else if (event instanceof Event.Printed) {
      return state.with(state.steps().moved(logged));
    } else if (event instanceof Event.Killed e) {
      return state
          .with(NodeFold.killed(state.node(e.node()), e, ms, state.facts()))
          .with(state.steps().moved(logged));
    } else if (event instanceof Event.Restarted e) {
      NodeLife life = state.node(e.node());
      return state
          .with(life.with(life.process().withStart(e.start())))
          .with(state.membership().withRestarts(e.restarts()));
    }
    return null;
  }

  private static RunState joined(RunState state, Event.Joined e, Logged logged) {
    RunState next =
        state.with(NodeFold.joined(state.node(e.node()), e)).with(state.membership().begins());
    // The steps since then are lost; members that join later began at the same step.
    boolean back = !state.membership().begun() && e.step() >= 0 && e.step() < state.steps().step();
    return back ? next.with(state.steps().at(e.step(), logged)) : next;
  }

  /** Events about nodes and their machines. */
  private static @Nullable RunState ofNode(RunState state, Logged logged) {
    Event event = logged.event();
    long ms = logged.atMs();
    if (event instanceof Event.Rented e) {
      if (state.find(e.node()) != null) {
        throw new IllegalStateException("The node %s was ordered before.".formatted(e.node()));
      }
      int start = NodeFold.firstStart(state.facts());
      return state.with(NodeLife.ordered(e, ms, logged.marketMs(), start));
    } else if (event instanceof Event.NodeTurned e) {
      NodeLife before = state.node(e.node());
      boolean unheard = NodeFold.diedUnheard(before, e.to());
      return state
          .with(NodeFold.turned(before, e.to(), ms, state.facts(), state.is(RunPhase.STOPPING)))
          .with(state.troubles().unheard(state.unheard() + (unheard ? 1 : 0)));
    } else if (event instanceof Event.Registered e) {
      return state
          .with(NodeFold.registered(state.node(e.node()), e, state.epoch()))
          .with(state.troubles().unheard(0));
    } else if (event instanceof Event.Granted e) {
      return state.with(NodeFold.granted(state.node(e.node()), e.handle()));
    } else if (event instanceof Event.Gone e) {
      boolean taken = e.cause().equals(News.Cause.TAKEN.name());
      return state.with(state.node(e.node()).with((Machine) new Machine.Gone(taken)));
    } else if (event instanceof Event.Warned e) {
      return state.with(NodeFold.warned(state.node(e.node()), e, ms));
    } else if (event instanceof Event.Departed e) {
      return state.with(NodeFold.departed(state.node(e.node())));
    } else if (event instanceof Event.Cleared e) {
      long until = ms + Kinds.ms(Kinds.timeouts(state).meetSeconds());
      NodeLife life = state.node(e.node());
      return state.with(
          life.with((Part) new Part.Cleared(e.generation(), until))
              .with(life.process().withMasterPort(e.masterPort())));
    } else if (event instanceof Event.Suspected e) {
      return suspected(state, e);
    } else if (event instanceof Event.Silenced e) {
      NodeLife life = state.node(e.node());
      return state.with(life.with(life.doubt().withSilent(e.silent() ? e.generation() : 0)));
    }
    return null;
  }

  private static RunState suspected(RunState state, Event.Suspected e) {
    long generation = state.membership().number();
    RunState next = state.with(NodeFold.suspects(state.node(e.by()), generation));
    NodeLife other = next.find(e.node());
    return other == null ? next : next.with(other.with(other.doubt().suspectedAgain(generation)));
  }
}

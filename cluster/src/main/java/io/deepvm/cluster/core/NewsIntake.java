package io.deepvm.cluster.core;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.places.News;
import java.util.stream.IntStream;

/** Takes the news of a cloud in; the same news twice change nothing the second time. */
final class NewsIntake {

  private NewsIntake() {}

  static void take(Turn turn, News news) {
    if (news instanceof News.Granted e) {
      granted(turn, e);
    } else if (news instanceof News.Refused e) {
      refused(turn, e);
    } else if (news instanceof News.Gone e) {
      gone(turn, e);
    } else if (news instanceof News.Noticed e) {
      noticed(turn, e);
    } else if (news instanceof News.Spared e) {
      Sparing.spare(turn, e.node());
    } else if (news instanceof News.Priced e) {
      if (turn.state().spotPrice(e.pool()) != e.microsPerHour()) {
        turn.write(new Event.Priced(e.pool(), e.microsPerHour()));
      }
    } else if (news instanceof News.MarketRead) {
      turn.askPolicyAtTick();
    } else if (news instanceof News.Closed e) {
      turn.conclude(RunPhase.INFEASIBLE, e.reason());
    } else {
      throw new IllegalStateException("No rule for the news " + news);
    }
  }

  private static void granted(Turn turn, News.Granted e) {
    NodeLife life = turn.state().find(e.node());
    if (life == null || !(life.machine() instanceof Machine.Ordered)) {
      return;
    }
    turn.write(new Event.Granted(e.node(), e.handle()));
    if (life.state() == NodeState.REQUESTED) {
      turn.turn(life, NodeState.BOOTING, "");
    }
  }

  private static void refused(Turn turn, News.Refused e) {
    NodeLife life = turn.state().find(e.node());
    // A late refusal says nothing of an order that was repeated and granted since.
    if (life == null || life.state() != NodeState.REQUESTED) {
      return;
    }
    int pool = life.rented().pool();
    turn.write(new Event.Refused(pool, life.rented().market(), 1, 0, e.reason()));
    turn.turn(life, NodeState.REFUSED, e.reason());
    boolean never = e.why() == News.Refusal.DENIED || e.why() == News.Refusal.UNSUPPORTED;
    long until = never ? Long.MAX_VALUE : turn.nowMs() + Kinds.ms(e.retryAfterSeconds());
    if (until > turn.nowMs()) {
      turn.write(new Event.Withheld(pool, until, e.reason()));
    }
    RunState state = turn.state();
    boolean none =
        IntStream.range(0, turn.facts().pools().size())
            .allMatch(p -> state.withheldUntil(p) == Long.MAX_VALUE);
    if (none && state.living().isEmpty()) {
      turn.conclude(RunPhase.FAILED, "No pool gives nodes: %s".formatted(e.reason()));
    } else {
      turn.askPolicy();
    }
  }

  private static void gone(Turn turn, News.Gone e) {
    NodeLife life = turn.state().find(e.node());
    if (life == null || life.machine() instanceof Machine.Gone) {
      return;
    }
    turn.write(new Event.Gone(e.node(), e.cause().name()));
    if (e.cause() == News.Cause.TAKEN && life.lives()) {
      String reason = e.reason() == null ? "taken by the cloud" : e.reason();
      turn.write(new Event.Taken(e.node(), reason));
      turn.lose(life, reason);
    } else {
      turn.lose(life, "the node is gone");
    }
    // There may be room for another now.
    turn.askPolicy();
  }

  private static void noticed(Turn turn, News.Noticed e) {
    NodeLife life = turn.state().find(e.node());
    if (life != null && life.state().mayTurn(NodeState.NOTICED)) {
      turn.write(new Event.Warned(e.node(), e.leadSeconds(), 0));
      turn.turn(life, NodeState.NOTICED, e.reason());
      turn.askPolicy();
    }
  }
}

package io.deepvm.cluster.core;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.places.News;

/** Takes the news of a cloud in; the same news twice change nothing the second time. */
final class NewsIntake implements News.Visitor {

  private final Turn turn;

  private NewsIntake(Turn turn) {
    this.turn = turn;
  }

  static void take(Turn turn, News news) {
    news.accept(new NewsIntake(turn));
  }

  /** The way to an agent concerns the links alone. */
  @Override
  public void reachable(News.Reachable e) {}

  @Override
  public void spared(News.Spared e) {
    Sparing.spare(turn, e.node());
  }

  @Override
  public void priced(News.Priced e) {
    if (turn.state().spotPrice(e.pool()) != e.microsPerHour()) {
      turn.write(new Event.Priced(e.pool(), e.microsPerHour()));
    }
  }

  @Override
  public void marketRead(News.MarketRead e) {
    turn.askPolicyAtTick();
  }

  @Override
  public void closed(News.Closed e) {
    turn.conclude(RunPhase.INFEASIBLE, e.reason());
  }

  @Override
  public void granted(News.Granted e) {
    NodeLife life = turn.state().find(e.node());
    if (life == null || !(life.machine() instanceof Machine.Ordered)) {
      return;
    }
    turn.write(new Event.Granted(e.node(), e.handle()));
    if (life.state() == NodeState.REQUESTED) {
      turn.turn(life, NodeState.BOOTING, "");
    }
  }

  @Override
  public void refused(News.Refused e) {
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
    if (Denials.areAllDenied(turn.state()) && turn.state().living().isEmpty()) {
      turn.conclude(RunPhase.FAILED, "No pool gives nodes: %s".formatted(e.reason()));
    } else {
      turn.askPolicy();
    }
  }

  @Override
  public void gone(News.Gone e) {
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
      String reason = e.reason() == null ? "" : ": " + e.reason();
      turn.lose(life, "the node is gone" + reason);
    }
    // There may be room for another now.
    turn.askPolicy();
  }

  @Override
  public void noticed(News.Noticed e) {
    NodeLife life = turn.state().find(e.node());
    if (life != null && life.state().mayTurn(NodeState.NOTICED)) {
      turn.write(new Event.Warned(e.node(), e.leadSeconds(), 0));
      turn.turn(life, NodeState.NOTICED, e.reason());
      turn.askPolicy();
    }
  }
}

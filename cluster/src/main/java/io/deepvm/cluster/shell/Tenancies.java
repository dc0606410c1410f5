package io.deepvm.cluster.shell;

import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.core.Machine;
import io.deepvm.cluster.core.NodeLife;
import io.deepvm.cluster.core.Obligations;
import io.deepvm.cluster.core.RunState;
import io.deepvm.cluster.log.History;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.places.Order;
import io.deepvm.places.Tenancy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Derives what a run holds of a cloud from its log. */
public final class Tenancies {

  private Tenancies() {}

  /** Returns what the run holds at a moment of the market's time. */
  public static Tenancy of(
      RunState state, History history, long marketMs, Function<Obligations.Ordered, Order> orders) {
    List<Tenancy.Held> held = new ArrayList<>();
    for (NodeLife life : state.nodes()) {
      boolean unwanted = !life.lives() && life.handle() == null;
      if (unwanted || life.machine() instanceof Machine.Gone) {
        // The coordinator has the cloud end an unwanted node; its order is not repeated.
        continue;
      }
      Order order = orders.apply(Obligations.Ordered.of(life));
      String notice = life.state() == NodeState.NOTICED ? history.reason(life.name()) : null;
      held.add(new Tenancy.Held(order, life.handle(), life.since().rentedMarketMs(), notice));
    }
    return new Tenancy(state.facts().spec().name(), marketMs, history.share(), held);
  }

  /**
   * Returns the market's time of a run that no one coordinated since its last event. It stands
   * still after an interruption, and as soon as no agent can live any more.
   */
  public static long marketMs(History history, RunSpec spec, long nowMs) {
    boolean started = history.status().startedMs() > 0;
    if (!started || history.state() == RunPhase.INTERRUPTED) {
      return history.status().marketMs();
    }
    long orphanMs = Math.round(1000 * spec.work().timeouts().orphanSeconds());
    return history.marketMsAt(Math.min(nowMs, history.status().atMs() + orphanMs));
  }
}

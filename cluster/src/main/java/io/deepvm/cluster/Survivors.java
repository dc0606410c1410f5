package io.deepvm.cluster;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.History;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.NodeStatus;
import io.deepvm.cluster.log.RunState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** The nodes that outlived their coordinator. */
final class Survivors {

  private Survivors() {}

  /** Returns when the last node of a run without a coordinator ended; now if some may live. */
  private static long endMs(History history, RunSpec spec, long nowMs) {
    long orphanMs = Math.round(1000 * spec.work().timeouts().orphanSeconds());
    return Math.min(nowMs, history.status().atMs() + orphanMs);
  }

  /**
   * Returns the market's time of a run that nobody coordinated since its last event. It stands
   * still after an interruption, and as soon as no agent can live any more.
   */
  static long marketMs(History history, RunSpec spec, long nowMs) {
    return history.state() == RunState.INTERRUPTED
        ? history.status().marketMs()
        : history.marketMsAt(endMs(history, spec, nowMs));
  }

  /**
   * Takes them over from the provider and returns them. The others were lost no later than agents
   * without a coordinator end themselves, and are logged as of then: nobody pays for them since.
   *
   * @param gone what to do when the named node ends
   */
  static List<NodeStatus> adopt(
      History history,
      RunSpec spec,
      Provider provider,
      long nowMs,
      Function<String, Runnable> gone,
      Consumer<Logged> log)
      throws IOException {
    long endMs = endMs(history, spec, nowMs);
    List<NodeStatus> living = new ArrayList<>();
    for (NodeStatus node : history.status().held()) {
      String name = node.node();
      if (!node.handle().isEmpty() && provider.adopt(name, node.handle(), gone.apply(name))) {
        living.add(node);
      } else {
        Event lost = new Event.NodeTurned(name, NodeState.LOST, "it ended without a coordinator");
        log.accept(new Logged(endMs, history.marketMsAt(endMs), lost));
      }
    }
    return living;
  }
}

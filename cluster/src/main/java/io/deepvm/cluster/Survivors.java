package io.deepvm.cluster;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.History;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.NodeStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** The nodes that outlived their coordinator. */
final class Survivors {

  private Survivors() {}

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
    long orphanMs = Math.round(1000 * spec.work().timeouts().orphanSeconds());
    long endMs = Math.min(nowMs, history.status().atMs() + orphanMs);
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

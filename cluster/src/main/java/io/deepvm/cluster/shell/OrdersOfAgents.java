package io.deepvm.cluster.shell;

import io.deepvm.cluster.core.AgentOrdersOf;
import io.deepvm.cluster.core.Machine;
import io.deepvm.cluster.core.NodeLife;
import io.deepvm.cluster.core.RunState;
import io.deepvm.cluster.link.AgentOrders;
import io.deepvm.cluster.link.Links;
import io.deepvm.cluster.output.LogRanks;
import java.util.LinkedHashMap;
import java.util.Map;

/** Sends each agent its orders whenever the state changes them. */
final class OrdersOfAgents {

  private final Links links;
  private final LogRanks show;
  private final Map<String, AgentOrders> sent = new LinkedHashMap<>();
  private long version;

  OrdersOfAgents(Links links, LogRanks show) {
    this.links = links;
    this.show = show;
  }

  /** Sends what has changed, and forgets nodes whose machine is gone. */
  void send(RunState state) {
    for (NodeLife life : state.nodes()) {
      if (life.machine() instanceof Machine.Gone) {
        if (sent.remove(life.name()) != null) {
          links.forget(life.name());
        }
        continue;
      }
      AgentOrders orders = AgentOrdersOf.node(state, life, show);
      if (!orders.equals(sent.get(life.name()))) {
        sent.put(life.name(), orders);
        links.send(life.name(), orders.withVersion(++version));
      }
    }
  }
}

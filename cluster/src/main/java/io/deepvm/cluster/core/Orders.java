package io.deepvm.cluster.core;

import io.deepvm.catalog.Market;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.member.Role;
import java.util.List;

/** Orders of nodes. */
final class Orders {

  private Orders() {}

  /** Orders a node, unless the cloud is full. */
  static void rent(Turn turn, Role role, int pool, Market market, long microsPerHour) {
    int limit = turn.facts().limit();
    if (turn.state().living().size() >= limit) {
      String why = "the provider has room for %d nodes".formatted(limit);
      turn.write(new Event.Refused(pool, market, 1, 0, why));
      return;
    }
    String name = "n" + (turn.state().nodes().size() + 1);
    String poolName = turn.facts().pools().get(pool).toString();
    turn.write(new Event.Rented(name, role, pool, poolName, market, microsPerHour));
  }

  /** Returns the living workers of the pool and market, the oldest first. */
  static List<NodeLife> held(RunState state, int pool, Market market) {
    return state.living().stream()
        .filter(life -> life.rented().pool() == pool && life.rented().market() == market)
        .filter(NodeLife::isWorker)
        .toList();
  }
}

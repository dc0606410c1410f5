package io.deepvm.cluster.core;

import io.deepvm.catalog.Market;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.member.Role;
import java.util.ArrayList;
import java.util.List;

/**
 * What the cloud still has to do: a function of the state alone. The coordinator sends each
 * obligation at once and repeats it until the state says that it is settled.
 *
 * @param orders nodes whose order the cloud has not answered
 * @param ends nodes whose machine must end, and whose end is not confirmed
 */
public record Obligations(List<Ordered> orders, List<String> ends) {

  /** An order that the cloud has not answered. */
  public record Ordered(String node, Role role, int pool, Market market) {

    /** Returns the order of a node. */
    public static Ordered of(NodeLife life) {
      Event.Rented rented = life.rented();
      return new Ordered(life.name(), rented.role(), rented.pool(), rented.market());
    }
  }

  /** Returns what the cloud has to do at a moment. */
  public static Obligations of(RunState state, long nowMs) {
    List<Ordered> orders = new ArrayList<>();
    List<String> ends = new ArrayList<>();
    boolean late = state.isOver() && nowMs >= Stopping.deadlineMs(state);
    for (NodeLife life : state.nodes()) {
      switch (life.machine().duty(nowMs, late)) {
        case ORDER -> orders.add(Ordered.of(life));
        case END -> ends.add(life.name());
        case NOTHING -> {}
      }
    }
    return new Obligations(orders, ends);
  }

  /** Returns when a machine that leaves in order must be ended. */
  public static long wakeMs(RunState state, long nowMs) {
    return state.nodes().stream()
        .mapToLong(life -> life.machine().dueMs())
        .filter(dueMs -> dueMs > nowMs)
        .min()
        .orElse(Long.MAX_VALUE);
  }
}

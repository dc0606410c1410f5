package io.deepvm.cluster.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.catalog.Market;
import io.deepvm.catalog.Place;
import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.core.RunFacts;
import io.deepvm.cluster.core.RunState;
import io.deepvm.cluster.link.AgentAddress;
import io.deepvm.cluster.link.AgentOrders;
import io.deepvm.cluster.link.Links;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.member.Role;
import io.deepvm.cluster.output.LogRanks;
import io.deepvm.market.Pool;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OrdersOfAgentsTest {

  private final List<String> calls = new ArrayList<>();

  private static RunState after(Event... events) {
    Work work =
        new Work(
            List.of("train"),
            Work.Kind.MEMBER,
            Map.of(),
            "",
            0,
            "",
            new Work.Timeouts(6, 40, 2, 20, 30));
    Pool pool = new Pool(new Place("sim", "here", "here-0"), "small");
    Event.Started started = new Event.Started("run", 1, 1, 0, 0);
    RunFacts facts = new RunFacts(RunSpec.of("run", work), List.of(pool), 9, 1, 0, started);
    List<Logged> log = new ArrayList<>(List.of(new Logged(1, 1, started)));
    for (Event event : events) {
      log.add(new Logged(2, 2, event));
    }
    return RunState.of(facts, log);
  }

  /** Remembers what is asked of the links. */
  private final class Remembered implements Links {
    @Override
    public void send(String node, AgentOrders orders) {
      calls.add("send " + node);
    }

    @Override
    public void received(String node, long number) {}

    @Override
    public void dial(String node, AgentAddress address) {}

    @Override
    public void forget(String node) {
      calls.add("forget " + node);
    }

    @Override
    public void close() {}
  }

  @Test
  void aNodeWhoseMachineIsGoneIsForgottenOnceAndGetsNoMoreOrders() {
    OrdersOfAgents orders = new OrdersOfAgents(new Remembered(), LogRanks.NONE);
    Event rented = new Event.Rented("n1", Role.WORKER, 0, "here", Market.SPOT, 1);
    Event lost = new Event.NodeTurned("n1", NodeState.LOST, "taken");
    Event gone = new Event.Gone("n1", "TAKEN");
    orders.send(after(rented));
    orders.send(after(rented, lost));
    orders.send(after(rented, lost, gone));
    orders.send(after(rented, lost, gone, new Event.RunTurned(RunPhase.STOPPING, "enough")));
    assertThat(calls).containsExactly("send n1", "send n1", "forget n1");
  }
}

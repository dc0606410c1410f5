package io.deepvm.cluster.link;

import static io.deepvm.cluster.link.LinkScene.SECURITY;
import static io.deepvm.cluster.link.LinkScene.WORK;
import static io.deepvm.cluster.link.LinkScene.lines;
import static io.deepvm.cluster.link.LinkScene.links;
import static io.deepvm.cluster.link.LinkScene.loopback;
import static io.deepvm.cluster.link.LinkScene.orders;
import static io.deepvm.cluster.link.LinkScene.patientLinks;
import static io.deepvm.cluster.link.LinkScene.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.transport.Security;
import io.deepvm.transport.Token;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LinksIT {

  private final LinkScene.Coordinator coordinator = new LinkScene.Coordinator();
  private final LinkScene.Agent agent = new LinkScene.Agent();

  // --- Agents that connect ---

  @Test
  void anAgentThatConnectsGetsItsWorkAndOrdersAndSendsItsStatus() throws Exception {
    try (AgentLinks links = links(0, coordinator);
        CoordinatorLink link = LinkScene.dial("n1", loopback(links.port()), agent)) {
      assertThat(link.awaitWork(LinkScene.PATIENCE)).isEqualTo(WORK);
      coordinator.awaitStatus("n1", 1);
      links.send("n1", orders(1, 1));
      agent.awaitOrders(orders(1, 1));
      link.send(status("n1", 2));
      coordinator.awaitStatus("n1", 2);
    }
  }

  @Test
  void ordersWaitForAnAgentThatIsNotThereYetAndOnlyTheNewestAreSent() throws Exception {
    try (AgentLinks links = links(0, coordinator)) {
      for (int version = 1; version <= 50; version++) {
        links.send("n1", orders(1, version));
      }
      try (CoordinatorLink link = LinkScene.dial("n1", loopback(links.port()), agent)) {
        agent.awaitOrders(orders(1, 50));
        assertThat(agent.all()).containsOnly(orders(1, 50));
        assertThat(link.awaitWork(LinkScene.PATIENCE)).isEqualTo(WORK);
      }
    }
  }

  @Test
  void bothSidesGiveSignsOfLife() throws Exception {
    try (AgentLinks links = links(0, coordinator);
        CoordinatorLink link = LinkScene.dial("n1", loopback(links.port()), agent)) {
      links.send("n1", orders(1, 1));
      agent.awaitOrders(4);
      assertThat(agent.all()).containsOnly(orders(1, 1));
      coordinator.awaitStatus("n1", 1);
      assertThat(coordinator.silent()).isEmpty();
      assertThat(link.awaitWork(LinkScene.PATIENCE)).isEqualTo(WORK);
    }
  }

  @Test
  void anAgentThatStartsBeforeItsCoordinatorFindsIt() throws Exception {
    int port;
    try (AgentLinks links = links(0, coordinator)) {
      port = links.port();
    }
    try (CoordinatorLink link = LinkScene.dial("n1", loopback(port), agent);
        AgentLinks links = links(port, coordinator)) {
      coordinator.awaitStatus("n1", 1);
      assertThat(link.awaitWork(LinkScene.PATIENCE)).isEqualTo(WORK);
      assertThat(links.port()).isEqualTo(port);
    }
  }

  @Test
  void aCoordinatorThatComesBackAtItsPortGoesOn() throws Exception {
    LinkScene.Coordinator next = new LinkScene.Coordinator();
    AgentLinks first = links(0, coordinator);
    int port = first.port();
    try (CoordinatorLink link = LinkScene.dial("n1", loopback(port), agent)) {
      first.send("n1", orders(1, 7));
      agent.awaitOrders(orders(1, 7));
      first.close();
      link.send(status("n1", 2));
      try (AgentLinks second = links(port, next)) {
        next.awaitStatus("n1", 2);
        second.send("n1", orders(2, 1));
        agent.awaitOrders(orders(2, 1));
      }
    }
    assertThat(coordinator.silent()).isEmpty();
  }

  // --- Agents that wait ---

  @Test
  void anAgentThatWaitsIsCalledAndAgainAfterTheConnectionBroke() throws Exception {
    try (CoordinatorLink link = waiting("n1");
        Wiretap wire = Wiretap.to(link.port());
        AgentLinks links = links(0, coordinator)) {
      links.send("n1", orders(1, 1));
      links.dial("n1", new AgentAddress(wire.address(), null));
      agent.awaitOrders(orders(1, 1));
      coordinator.awaitStatus("n1", 1);
      wire.cut();
      link.send(status("n1", 2));
      coordinator.awaitStatus("n1", 2);
      assertThat(wire.connections()).isEqualTo(2);
      assertThat(coordinator.silent()).isEmpty();
    }
  }

  @Test
  void anAgentThatWaitsIsCalledThroughASocksProxy() throws Exception {
    try (CoordinatorLink link = waiting("n1");
        Wiretap proxy = Wiretap.socks();
        AgentLinks links = links(0, coordinator)) {
      links.dial("n1", new AgentAddress(loopback(link.port()), proxy.address()));
      links.send("n1", orders(1, 1));
      agent.awaitOrders(orders(1, 1));
      coordinator.awaitStatus("n1", 1);
      assertThat(proxy.connections()).isEqualTo(1);
    }
  }

  @Test
  void theProxyLooksUpTheNameOfAnAgent() throws Exception {
    try (CoordinatorLink link =
            CoordinatorLink.listen(
                LinkScene.RUN, "n1", loopback(0), SECURITY.encrypted(), System::nanoTime);
        Wiretap proxy = Wiretap.socks();
        AgentLinks links = links(0, coordinator)) {
      link.send(status("n1", 1));
      InetSocketAddress name = InetSocketAddress.createUnresolved("localhost", link.port());
      links.dial("n1", new AgentAddress(name, proxy.address()));
      coordinator.awaitStatus("n1", 1);
    }
  }

  @Test
  void aBrokenProxyIsNoReasonToReportTheAgentBehindItAtOnce() throws Exception {
    try (CoordinatorLink link = waiting("n1");
        AgentLinks links = links(0, coordinator)) {
      Wiretap proxy = Wiretap.socks();
      links.dial("n1", new AgentAddress(loopback(link.port()), proxy.address()));
      coordinator.awaitStatus("n1", 1);
      proxy.close();
      assertThat(coordinator.awaitSilent()).isEqualTo("n1: no status for 1.0 s");
    }
  }

  @Test
  void anAgentWhosePortIsGoneIsSilentAtOnce() throws Exception {
    try (AgentLinks links = links(0, coordinator)) {
      CoordinatorLink link = waiting("n1");
      links.dial("n1", new AgentAddress(loopback(link.port()), null));
      coordinator.awaitStatus("n1", 1);
      long began = System.nanoTime();
      link.close();
      assertThat(coordinator.awaitSilent()).isEqualTo("n1: nobody listens at its agent's port");
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofMillis(900));
    }
  }

  @Test
  void theAgentOfAnotherNodeDoesNotTakeTheCall() throws Exception {
    try (CoordinatorLink link = waiting("n2");
        AgentLinks links = links(0, coordinator)) {
      links.send("n1", orders(1, 1));
      links.dial("n1", new AgentAddress(loopback(link.port()), null));
      links.dial("n2", new AgentAddress(loopback(link.port()), null));
      coordinator.awaitStatus("n2", 1);
      assertThat(agent.all()).isEmpty();
      assertThat(coordinator.statuses()).allSatisfy(s -> assertThat(s.node()).isEqualTo("n2"));
    }
  }

  private CoordinatorLink waiting(String node) throws Exception {
    CoordinatorLink link =
        CoordinatorLink.listen(LinkScene.RUN, node, loopback(0), SECURITY, System::nanoTime);
    link.start(agent);
    link.send(status(node, 1));
    return link;
  }

  // --- Strangers ---

  @Test
  void anAgentWithAnotherTokenIsNotLetIn() throws Exception {
    Security other = Security.of(Token.of("another token, also long enough"));
    try (AgentLinks links = links(0, coordinator);
        CoordinatorLink link =
            CoordinatorLink.dial(
                LinkScene.RUN, "n1", loopback(links.port()), other, System::nanoTime)) {
      link.send(status("n1", 1));
      assertThatThrownBy(() -> link.awaitWork(Duration.ofMillis(500)))
          .isInstanceOf(BadInput.class)
          .hasMessageContaining("The agent of n1 found no coordinator");
      assertThat(coordinator.statuses()).isEmpty();
    }
  }

  @Test
  void anAgentOfAnotherRunIsToldSo() throws Exception {
    try (AgentLinks links = links(0, coordinator);
        CoordinatorLink link =
            CoordinatorLink.dial(
                "run-2", "n1", loopback(links.port()), SECURITY, System::nanoTime)) {
      assertThatThrownBy(() -> link.awaitWork(Duration.ofMillis(500)))
          .hasMessageContaining("This side belongs to the run run-1, the other to run-2.");
    }
  }

  @Test
  void aLinkIsEncryptedEvenOnLoopbackWhicheverSideConnects() throws Exception {
    try (AgentLinks links = links(0, coordinator);
        CoordinatorLink waits = waiting("n2");
        Wiretap in = Wiretap.to(links.port());
        Wiretap out = Wiretap.to(waits.port());
        CoordinatorLink link = LinkScene.dial("n1", in.address(), agent)) {
      assertThat(link.awaitWork(LinkScene.PATIENCE)).isEqualTo(WORK);
      links.dial("n2", new AgentAddress(out.address(), null));
      coordinator.awaitStatus("n1", 1);
      coordinator.awaitStatus("n2", 1);
      assertThat(in.heard()).isNotEmpty().doesNotContain("127.0.0.1", "command");
      assertThat(out.heard()).isNotEmpty().doesNotContain("127.0.0.1", "command");
    }
  }

  // --- Losses ---

  @Test
  void aConnectionThatBreaksIsMadeAgainAndTheAgentIsNotReported() throws Exception {
    try (AgentLinks links = patientLinks(coordinator);
        Wiretap wire = Wiretap.to(links.port());
        CoordinatorLink link = LinkScene.dial("n1", wire.address(), agent)) {
      coordinator.awaitStatus("n1", 1);
      links.send("n1", orders(1, 1));
      agent.awaitOrders(orders(1, 1));
      for (int version = 2; version <= 5; version++) {
        wire.cut();
        link.send(status("n1", version));
        links.send("n1", orders(1, version));
        coordinator.awaitStatus("n1", version);
        agent.awaitOrders(orders(1, version));
      }
      assertThat(coordinator.silent()).isEmpty();
    }
  }

  @Test
  void anAgentThatEndsIsSilentAtOnce() throws Exception {
    try (AgentLinks links = links(0, coordinator)) {
      CoordinatorLink link = LinkScene.dial("n1", loopback(links.port()), agent);
      coordinator.awaitStatus("n1", 1);
      link.close();
      assertThat(coordinator.awaitSilent())
          .isEqualTo("n1: its connection broke and it did not come back");
    }
  }

  @Test
  void anAgentThatIsOutOfReachIsReportedAfterASessionAndItsConnectionMayHeal() throws Exception {
    try (AgentLinks links = links(0, coordinator);
        Wiretap wire = Wiretap.to(links.port());
        CoordinatorLink link = LinkScene.dial("n1", wire.address(), agent)) {
      coordinator.awaitStatus("n1", 1);
      long began = System.nanoTime();
      wire.hold(true);
      assertThat(coordinator.awaitSilent()).isEqualTo("n1: no status for 1.0 s");
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(400));
      coordinator.forget();
      wire.hold(false);
      coordinator.awaitStatus("n1", 1);
      assertThat(coordinator.silent()).hasSize(1);
      links.send("n1", orders(1, 9));
      agent.awaitOrders(orders(1, 9));
      assertThat(link.awaitWork(LinkScene.PATIENCE)).isEqualTo(WORK);
    }
  }

  @Test
  void aPauseOfTheCoordinatorItselfIsNotItsAgentsSilence() throws Exception {
    AtomicLong paused = new AtomicLong();
    AgentLinks.Options options =
        new AgentLinks.Options(
            LinkScene.RUN,
            loopback(0),
            SECURITY,
            WORK,
            LinkScene.SESSION,
            AgentLinks.COME_BACK,
            Runnable::run,
            () -> System.nanoTime() + paused.get());
    try (AgentLinks links = AgentLinks.open(options, coordinator)) {
      CoordinatorLink link = LinkScene.dial("n1", loopback(links.port()), agent);
      coordinator.awaitStatus("n1", 1);
      paused.set(Duration.ofSeconds(10).toNanos());
      // by then the links were swept several times
      coordinator.forget();
      coordinator.awaitStatuses(2);
      assertThat(coordinator.silent()).isEmpty();
      link.close();
      assertThat(coordinator.awaitSilent()).startsWith("n1: its connection broke");
    }
  }

  @Test
  void aForgottenNodeIsNotReported() throws Exception {
    try (AgentLinks links = links(0, coordinator)) {
      CoordinatorLink link = LinkScene.dial("n1", loopback(links.port()), agent);
      CoordinatorLink other = LinkScene.dial("n2", loopback(links.port()), new LinkScene.Agent());
      coordinator.awaitStatus("n1", 1);
      coordinator.awaitStatus("n2", 1);
      link.close();
      links.forget("n1");
      other.close();
      assertThat(coordinator.awaitSilent()).startsWith("n2: ");
      assertThat(coordinator.silent()).hasSize(1);
    }
  }

  // --- Output ---

  @Test
  void outputIsAnsweredAndComesAgainOverTheNextConnectionUntilItIs() throws Exception {
    try (AgentLinks links = links(0, coordinator);
        Wiretap wire = Wiretap.to(links.port());
        CoordinatorLink link = LinkScene.dial("n1", wire.address(), agent)) {
      link.print(lines(1));
      coordinator.awaitPrinted(1);
      wire.cut();
      coordinator.awaitPrinted(2);
      assertThat(coordinator.printed()).containsOnly(lines(1));
      links.received("n1", 1);
      agent.awaitReceived(1);
      link.print(lines(2));
      coordinator.awaitPrinted(3);
      // a late receipt does not count for what followed
      links.received("n1", 1);
      wire.cut();
      coordinator.awaitPrinted(4);
      assertThat(coordinator.printed().subList(2, 4)).containsOnly(lines(2));
    }
  }

  // --- Many ---

  @Test
  void twoHundredAgentsAreServed() throws Exception {
    List<CoordinatorLink> all = new ArrayList<>();
    List<LinkScene.Agent> agents = new ArrayList<>();
    try (AgentLinks links = links(0, coordinator)) {
      InetSocketAddress address = loopback(links.port());
      for (int i = 0; i < 200; i++) {
        agents.add(new LinkScene.Agent());
        all.add(LinkScene.dial("n" + i, address, agents.get(i)));
      }
      for (int i = 0; i < 200; i++) {
        coordinator.awaitStatus("n" + i, 1);
      }
      for (int i = 0; i < 200; i++) {
        links.send("n" + i, orders(1, 5));
      }
      for (LinkScene.Agent each : agents) {
        each.awaitOrders(orders(1, 5));
      }
    } finally {
      all.forEach(CoordinatorLink::close);
    }
  }
}

package io.deepvm.cluster.shell;

import io.deepvm.cluster.RunFolder;
import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.agent.AgentContact;
import io.deepvm.cluster.agent.AgentMain;
import io.deepvm.cluster.agent.NodeStart;
import io.deepvm.cluster.core.Obligations;
import io.deepvm.places.Launch;
import io.deepvm.places.Order;
import io.deepvm.places.local.JavaCommand;
import java.util.List;

/** Makes the order of a node: a machine that runs an agent. */
final class AgentLaunch {

  /** A small heap and a quick start: an agent waits most of the time. */
  private static final List<String> JVM =
      List.of("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData");

  private AgentLaunch() {}

  /**
   * Returns the order.
   *
   * @param contact where the coordinator listens
   */
  static Order order(
      RunFolder folder, RunSpec spec, AgentContact contact, Obligations.Ordered ordered) {
    Launch launch =
        new Launch(
            JavaCommand.of(JVM, AgentMain.class),
            NodeStart.ordered(
                spec.name(),
                ordered.node(),
                ordered.role(),
                contact,
                folder.tokenFile().toString()));
    String token = spec.name() + "-" + ordered.node();
    return new Order(token, ordered.node(), ordered.pool(), ordered.market(), launch);
  }
}

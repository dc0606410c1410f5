package io.deepvm.cluster.shell;

import io.deepvm.cluster.RunFolder;
import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.agent.AgentContact;
import io.deepvm.cluster.agent.AgentMain;
import io.deepvm.cluster.agent.NodeStart;
import io.deepvm.cluster.core.Obligations;
import io.deepvm.places.Cloud;
import io.deepvm.places.Launch;
import io.deepvm.places.Order;
import io.deepvm.places.local.JavaCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Makes the order of a node: a machine that runs an agent. */
final class AgentLaunch {

  /** A small heap and a quick start: an agent waits most of the time. */
  private static final List<String> JVM =
      List.of(
          "-Xmx96m",
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-XX:-UsePerfData",
          "-XX:+ExitOnOutOfMemoryError");

  private AgentLaunch() {}

  /**
   * Returns the order.
   *
   * @param contact how the agent and the coordinator come together
   */
  static Order order(
      RunFolder folder, RunSpec spec, AgentContact contact, Obligations.Ordered ordered) {
    Launch launch =
        new Launch(
            contact instanceof AgentContact.Dial ? JavaCommand.of(JVM, AgentMain.class) : shipped(),
            NodeStart.ordered(spec.name(), ordered.node(), ordered.role(), contact),
            Map.of(NodeStart.TOKEN_FILE, folder.workerTokenFile()));
    String token = spec.name() + "-" + ordered.node();
    return new Order(token, ordered.node(), ordered.pool(), ordered.market(), launch);
  }

  /** Returns the agent's command on a machine that has this program from its cloud. */
  private static List<String> shipped() {
    List<String> line = new ArrayList<>(List.of(Cloud.SHIPPED_JAVA));
    line.addAll(JVM);
    line.add(AgentMain.class.getName());
    return line;
  }
}

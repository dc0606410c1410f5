package io.deepvm.page.watch;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.deepvm.cluster.log.NodeStatus;
import io.deepvm.cluster.log.RunStatus;
import java.util.HashSet;
import java.util.Set;

/** How a run stands, as the page gets it: figures that follow from rules that Java has. */
final class StatusMessage {

  private static final JsonMapper JSON = new JsonMapper();

  /** The nodes whose last bill was sent. */
  private final Set<String> settled = new HashSet<>();

  /** Returns the message that the log cannot be read any further. */
  static String broken(String reason) {
    return JSON.createObjectNode().put("reason", reason).toString();
  }

  /**
   * Returns the message; it has bills of nodes that live or have ended since the last one.
   *
   * @param nowMs in milliseconds since 1970; the status may be older
   */
  String of(RunStatus status, boolean coordinated, long nowMs) {
    ObjectNode json = JSON.createObjectNode();
    json.put("run", status.run())
        .put("state", status.state().name())
        .put("reason", status.reason())
        .put("coordinated", coordinated)
        .put("generation", status.generation())
        .put("members", status.members().size())
        .put("step", status.step())
        .put("samples", status.samples())
        .put("safeStep", status.safeStep())
        .put("lostSteps", status.lostSteps())
        .put("lostNodes", status.lostNodes())
        .put("restarts", status.restarts())
        .put("cost", status.cost().micros())
        .put("emulatedCost", status.emulated().cost().micros())
        .put("emulatedMs", status.emulated().marketMs())
        .put("startedMs", status.startedMs())
        .put("marketMs", status.marketMs())
        .put("atMs", status.atMs())
        .put("nowMs", nowMs);
    if (Double.isNaN(status.loss())) {
      json.putNull("loss");
    } else {
      json.put("loss", status.loss());
    }
    ObjectNode bills = json.putObject("bills");
    for (NodeStatus node : status.nodes()) {
      if (!node.state().isEnd() || settled.add(node.node())) {
        bills.put(node.node(), node.cost().micros());
      }
    }
    return json.toString();
  }
}

package io.deepvm.cli.print;

import io.deepvm.base.Durations;
import io.deepvm.cluster.log.NodeStatus;
import io.deepvm.cluster.log.Revoked;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.simulator.Outcome;
import java.io.PrintWriter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How a run stands.
 *
 * @param foreseen what the simulator said of the same market; null when nothing was
 */
public record RunReport(RunStatus status, @Nullable Outcome foreseen, PrintWriter out) {

  /** Returns the run in a line. */
  public static String line(RunStatus status) {
    StringBuilder line = new StringBuilder();
    line.append("%s: %s".formatted(status.run(), status.state().name().toLowerCase(Locale.ROOT)));
    if (status.step() > 0) {
      // Most commands report no steps.
      line.append(", step ").append(status.step());
    }
    if (!Double.isNaN(status.loss())) {
      line.append(String.format(Locale.ROOT, ", loss %.4f", status.loss()));
    }
    line.append(
        ", %d member%s in generation %d, %s, %d lost"
            .formatted(
                status.members().size(),
                status.members().size() == 1 ? "" : "s",
                status.generation(),
                status.cost(),
                status.lostNodes()));
    return line.toString();
  }

  /** Prints it for people. */
  public void table(Paint paint) {
    out.println(line(status) + ".");
    if (!status.reason().isEmpty()) {
      out.println(status.reason());
    }
    if (status.emulated().marketMs() > 0) {
      out.println(emulation());
    }
    out.println();
    Table table = new Table("NODE", "ROLE", "POOL", "MARKET", "STATE", "LIVED>", "COST>", "WHY");
    for (NodeStatus node : status.nodes()) {
      long end = node.endedMs() < 0 ? status.marketMs() : node.endedMs();
      table.row(
          node.node(),
          node.role().name().toLowerCase(Locale.ROOT),
          node.poolName(),
          node.market().toString(),
          node.state().name().toLowerCase(Locale.ROOT),
          Durations.print(Durations.ofSeconds((end - node.rentedMs()) / 1e3)),
          node.cost().toString(),
          node.reason());
    }
    table.print(out, paint, "");
  }

  /** Returns what this machine needed and the plan's machines do not. */
  private String emulation() {
    return "Processes start slower here than in the plan: %s and %s of the market's time are not counted."
        .formatted(
            status.emulated().cost(),
            Durations.print(Durations.ofSeconds(status.emulated().marketMs() / 1e3)));
  }

  /** Prints it as JSON. */
  public void json() {
    Json.object(
        out,
        json -> {
          json.put("schema", "deepvm/run/v1");
          json.put("run", status.run());
          json.put("state", status.state().name());
          json.put("reason", status.reason());
          json.put("generation", status.generation());
          json.put("step", status.step());
          json.put("samples", status.samples());
          if (!Double.isNaN(status.loss())) {
            json.put("loss", status.loss());
          }
          json.put("safeStep", status.safeStep());
          json.put("lostSteps", status.lostSteps());
          json.put("usd", status.cost().dollars());
          json.put("seconds", (status.atMs() - status.startedMs()) / 1e3);
          json.put("marketSeconds", status.marketMs() / 1e3);
          json.object(
              "emulation",
              o -> {
                o.put("usd", status.emulated().cost().dollars());
                o.put("marketSeconds", status.emulated().marketMs() / 1e3);
              });
          Outcome simulated = foreseen;
          if (simulated != null) {
            json.object(
                "simulated",
                o -> {
                  o.put("usd", simulated.cost().dollars());
                  o.put("finished", simulated.finished());
                  o.put("marketSeconds", simulated.seconds());
                  o.put("revocations", simulated.revocations());
                });
          }
          json.array(
              "nodes",
              list -> {
                for (NodeStatus node : status.nodes()) {
                  list.object(
                      o -> {
                        o.put("node", node.node());
                        o.put("role", node.role().name());
                        o.put("pool", node.poolName());
                        o.put("market", node.market().toString());
                        o.put("state", node.state().name());
                        o.put("member", status.members().contains(node.node()));
                        o.put("usd", node.cost().dollars());
                        o.put("why", node.reason());
                      });
                }
              });
          json.array(
              "revocations",
              list -> {
                for (Revoked lost : status.revocations()) {
                  list.object(
                      o -> {
                        o.put("node", lost.node());
                        o.put("marketSeconds", lost.marketMs() / 1e3);
                        o.put("noticed", lost.noticed());
                        if (lost.recoveredMs() >= 0) {
                          o.put("recoveredSeconds", lost.recoveredMs() / 1e3);
                        }
                        o.put("why", lost.reason());
                      });
                }
              });
        });
  }

  /** Prints its nodes as CSV. */
  public void csv() {
    Csv csv = new Csv(out).row("node", "role", "pool", "market", "state", "usd", "why");
    for (NodeStatus node : status.nodes()) {
      csv.row(
          node.node(),
          node.role(),
          node.poolName(),
          node.market(),
          node.state(),
          node.cost().dollars(),
          node.reason());
    }
  }
}

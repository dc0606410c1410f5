package io.deepvm.cluster.agent;

import io.deepvm.cluster.link.AgentOrders;
import io.deepvm.cluster.link.AgentStatus;
import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.member.Role;
import io.deepvm.cluster.output.LogRanks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An agent's machine with a fake clock and a coordinator that counts its orders. */
final class AgentDrill {

  static final String NODE = "n2";
  static final int PORT = 4000;

  /** Session 3 s, ready 60 s, stop 5 s, meet 30 s, orphan 30 s, form 360 s, silence 20 s. */
  static final Work.Timeouts TIMEOUTS = new Work.Timeouts(3, 60, 5, 30, 30).withSilence(20);

  private final AgentMachine machine;
  private long nowMs = 1_000_000;
  private long version;
  private int start;
  private int kill;
  private String killReason = "";
  private AgentOrders.@Nullable Formation generation;
  private AgentOrders.@Nullable NoticeOrder notice;
  private @Nullable String stop;

  private AgentDrill(Work.Kind kind, String signal, long bootMs) {
    Work work =
        new Work(List.of("train"), kind, Map.of(), "/saved", 3, signal, TIMEOUTS, "", Map.of());
    machine = new AgentMachine(NODE, "10.0.0.2", work, nowMs + bootMs, nowMs);
  }

  static AgentDrill member() {
    return new AgentDrill(Work.Kind.MEMBER, "", 0);
  }

  static AgentDrill bootingMember(long bootMs) {
    return new AgentDrill(Work.Kind.MEMBER, "", bootMs);
  }

  static AgentDrill command(String signal) {
    return new AgentDrill(Work.Kind.COMMAND, signal, 0);
  }

  /** Returns a member whose first process is ready. */
  static AgentDrill readyMember() {
    AgentDrill drill = member();
    drill.start(1);
    drill.take(new AgentInput.Started(1));
    drill.report(1, new Report.Ready(PORT));
    return drill;
  }

  /** Returns a member whose first process trains in generation 1. */
  static AgentDrill trainingMember() {
    AgentDrill drill = readyMember();
    drill.form(formation(1, PORT));
    drill.report(1, new Report.Formed(1, 0, Report.Origin.FRESH));
    return drill;
  }

  /** Returns a node at rank 1 whose command runs in generation 1. */
  static AgentDrill runningCommand(String signal) {
    AgentDrill drill = command(signal);
    drill.form(commands(1, 0));
    drill.form(commands(1, 7000));
    drill.take(new AgentInput.Started(1));
    return drill;
  }

  /** Returns a generation with this node at rank 1. */
  static AgentOrders.Formation formation(long number, int port) {
    return new AgentOrders.Formation(number, List.of(node("n1", 1), node(NODE, port)), 0, 0);
  }

  /** Returns a generation of commands with this node at rank 1. */
  static AgentOrders.Formation commands(long number, int masterPort) {
    return new AgentOrders.Formation(number, List.of(node("n1", 0), node(NODE, 0)), 0, masterPort);
  }

  /** Returns a generation of commands that this node leads. */
  static AgentOrders.Formation led(long number, int masterPort) {
    return new AgentOrders.Formation(number, List.of(node(NODE, 0), node("n1", 0)), 0, masterPort);
  }

  /** Returns a generation without this node. */
  static AgentOrders.Formation without(long number) {
    return new AgentOrders.Formation(number, List.of(node("n1", 1)), 0, 0);
  }

  private static Member node(String name, int port) {
    return new Member(name, Role.WORKER, "h", port);
  }

  List<AgentAction> start(int processes) {
    start = processes;
    return order();
  }

  List<AgentAction> kill(int process, String reason) {
    kill = process;
    killReason = reason;
    return order();
  }

  List<AgentAction> form(AgentOrders.Formation next) {
    generation = next;
    return order();
  }

  List<AgentAction> notice(AgentOrders.@Nullable NoticeOrder next) {
    notice = next;
    return order();
  }

  List<AgentAction> stop(String reason) {
    stop = reason;
    return order();
  }

  AgentOrders orders() {
    return new AgentOrders(
        1,
        version,
        generation,
        new AgentOrders.ProcessOrders(start, kill, killReason),
        notice,
        stop,
        LogRanks.NONE);
  }

  /** Sends changed orders. */
  private List<AgentAction> order() {
    version++;
    return repeat();
  }

  /** Sends the same orders again. */
  List<AgentAction> repeat() {
    return take(new AgentInput.Ordered(orders()));
  }

  List<AgentAction> report(int process, Report report) {
    return take(new AgentInput.Reported(process, report));
  }

  List<AgentAction> exit(int process, int code, String tail) {
    return take(new AgentInput.Ended(process, code, tail, null));
  }

  List<AgentAction> take(AgentInput input) {
    return machine.take(input, nowMs);
  }

  /** Lets time pass, with orders every second, and collects what is done. */
  List<AgentAction> pass(double seconds) {
    List<AgentAction> done = new ArrayList<>();
    long until = nowMs + Math.round(seconds * 1000);
    while (nowMs < until) {
      nowMs = Math.min(until, Math.min(nowMs + 1000, Math.max(nowMs + 1, machine.nextWakeMs())));
      done.addAll(repeat());
    }
    return done;
  }

  /** Lets time pass without a sign of the coordinator. */
  List<AgentAction> passAlone(double seconds) {
    List<AgentAction> done = new ArrayList<>();
    long until = nowMs + Math.round(seconds * 1000);
    while (nowMs < until) {
      nowMs = Math.min(until, machine.nextWakeMs());
      done.addAll(take(new AgentInput.Woke()));
    }
    return done;
  }

  /** Returns after how many milliseconds the machine wants to be called again. */
  long wakesInMs() {
    return machine.nextWakeMs() - nowMs;
  }

  AgentStatus status() {
    return machine.status();
  }

  boolean isOver() {
    return machine.isOver();
  }

  AgentStatus.Exit exit() {
    return Objects.requireNonNull(status().process().exit());
  }
}

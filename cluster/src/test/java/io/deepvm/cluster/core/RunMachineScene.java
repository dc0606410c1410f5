package io.deepvm.cluster.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.catalog.Market;
import io.deepvm.catalog.Place;
import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.link.AgentStatus;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.member.Report;
import io.deepvm.market.Pool;
import io.deepvm.places.News;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A run machine with inputs from a test, and the time that the test lets pass. */
abstract class RunMachineScene {

  static final AgentStatus.Barrier NOWHERE = new AgentStatus.Barrier(0, 0, 0, 0, null, null);
  static final AgentStatus.Work NO_WORK = new AgentStatus.Work(null, List.of(), null, 0);

  final List<Logged> log = new ArrayList<>();
  double silenceSeconds = 30;
  RunState state = unopened(Work.Kind.MEMBER, 1, 1);
  long nowMs = 1_000_000;

  /** Lets time pass, and has the coordinator look at its clock as often as it asks for. */
  void pass(long ms) {
    long untilMs = nowMs + ms;
    while (nowMs < untilMs) {
      nowMs = Math.min(untilMs, Math.max(nowMs + 1, RunMachine.wakeMs(state)));
      take(new Input.Tick());
    }
  }

  AgentStatus.Barrier suspects(String node) {
    Report.Suspect suspect =
        new Report.Suspect(state.membership().number(), node, "it is out of reach");
    return new AgentStatus.Barrier(0, 0, 0, 0, null, suspect);
  }

  RunState unopened(Work.Kind kind, int nodes, int least) {
    Work work =
        new Work(
            List.of("train"),
            kind,
            Map.of(),
            "",
            9,
            "",
            new Work.Timeouts(6, 40, 2, 20, 30).withForm(20).withSilence(silenceSeconds));
    Pool pool = new Pool(new Place("sim", "here", "here-0"), "small");
    Event.Started started = new Event.Started("run", 1, 1, 0, 0);
    RunSpec spec = RunSpec.of("run", work).withMinWorkers(least);
    return RunState.of(new RunFacts(spec, List.of(pool), 9, nodes, 0, started));
  }

  void open(Work.Kind kind, int nodes) {
    open(kind, nodes, 1);
  }

  void machineNotice(String node, AgentStatus.MachineNotice notice) {
    var process = new AgentStatus.TrainingProcess(1, true, 1, null);
    AgentStatus status = new AgentStatus(node, 1, "host", process, launched(), NO_WORK, notice);
    take(new Input.Status(status));
  }

  void open(Work.Kind kind, int nodes, int least) {
    state = unopened(kind, nodes, least);
    take(new Input.Opened(null));
    for (int i = 0; i < nodes; i++) {
      take(new Input.Wishes(List.of(new Input.Wish.Rent(0, Market.SPOT, 100))));
    }
  }

  /** Has the agents report, and their generation form. */
  void meet(int nodes) {
    for (int i = 1; i <= nodes; i++) {
      cloud(new News.Granted("n" + i, "machine"));
      agent("n" + i, 1, true, NOWHERE, NO_WORK);
    }
    nowMs += 10_000;
    take(new Input.Tick());
    assertThat(state.membership().number()).isEqualTo(1);
  }

  void train(String node) {
    agent(node, 1, true, launched(), NO_WORK);
  }

  static AgentStatus.Barrier launched() {
    return new AgentStatus.Barrier(1, 29_500, 1, 0, null, null);
  }

  static AgentStatus.Barrier formed(long step) {
    return new AgentStatus.Barrier(
        0, 0, 0, 0, new Report.Formed(1, step, Report.Origin.KEPT), null);
  }

  static AgentStatus.Work step(long step) {
    return new AgentStatus.Work(new Report.Step(1, step, step, 1, 0, 0, 0, 0), List.of(), null, 0);
  }

  static AgentStatus.Exit exit() {
    return new AgentStatus.Exit(1, 1, 1, "a peer is gone", null);
  }

  void agent(
      String node, int number, boolean ready, AgentStatus.Barrier barrier, AgentStatus.Work work) {
    report(node, new AgentStatus.TrainingProcess(number, ready, 1, null), barrier, work);
  }

  void agent(
      String node, int number, boolean ready, AgentStatus.Barrier barrier, AgentStatus.Exit exit) {
    report(node, new AgentStatus.TrainingProcess(number, ready, 1, exit), barrier, NO_WORK);
  }

  void report(
      String node,
      AgentStatus.TrainingProcess process,
      AgentStatus.Barrier barrier,
      AgentStatus.Work work) {
    take(new Input.Status(new AgentStatus(node, 1, "host", process, barrier, work, null)));
  }

  void cloud(News news) {
    take(new Input.Cloud(news));
  }

  void take(Input input) {
    RunMachine.Decision next = RunMachine.step(state, input, new Now(nowMs, nowMs, List.of()));
    log.addAll(next.events());
    state = next.state();
    assertThat(RunState.of(state.facts(), log)).as("the replayed log").isEqualTo(state);
  }
}

package io.deepvm.cluster.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.link.AgentStatus;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.output.LogRanks;
import io.deepvm.places.News;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bugs that the simulation found, and the rules of a run that are easiest to see on their own. */
class RunMachineTest extends RunMachineScene {

  @Test
  void aLateRefusalOfAGrantedOrderChangesNothing() {
    open(Work.Kind.MEMBER, 1);
    cloud(new News.Granted("n1", "machine"));
    cloud(new News.Refused("n1", News.Refusal.CAPACITY, "no capacity", 0));
    assertThat(state.node("n1").state()).isEqualTo(NodeState.BOOTING);
  }

  @Test
  void theMachineOfARefusedOrderIsEndedUntilTheCloudConfirms() {
    open(Work.Kind.MEMBER, 1);
    cloud(new News.Refused("n1", News.Refusal.CAPACITY, "no capacity", 0));
    assertThat(Obligations.of(state, nowMs).ends()).containsExactly("n1");
    cloud(new News.Gone("n1", News.Cause.ENDED, null));
    assertThat(Obligations.of(state, nowMs).ends()).isEmpty();
  }

  @Test
  void aRunWhoseMachinesCannotBeUsedFailsWithTheReason() {
    open(Work.Kind.COMMAND, 5);
    String why = "it cannot be used: the setup failed: no such module";
    for (int i = 1; i <= 5; i++) {
      cloud(new News.Granted("n" + i, "machine"));
      cloud(new News.Gone("n" + i, News.Cause.ENDED, why));
    }
    assertThat(state.phase().outcome()).isEqualTo(RunPhase.FAILED);
    assertThat(state.phase().reason()).contains("5 nodes in a row").contains(why);
  }

  /** Seed 500: the member that joined first had lost its process by then. */
  @Test
  void aMemberThatJoinsLateLeavesTheStepsOfItsGeneration() {
    open(Work.Kind.MEMBER, 2, 2);
    meet(2);
    agent("n1", 1, true, formed(7), step(7));
    agent("n1", 1, true, formed(7), step(9));
    agent("n1", 1, false, NOWHERE, NO_WORK);
    agent("n2", 1, true, formed(7), step(7));
    assertThat(state.steps().step()).isEqualTo(9);
  }

  /** Seed 5003174: the first member's process had ended before its status with the join came. */
  @Test
  void aMemberThatJoinsAfterTheStepsOfADeadOneLeavesTheStepsOfItsGeneration() {
    open(Work.Kind.MEMBER, 2, 2);
    meet(2);
    agent("n1", 1, false, NOWHERE, step(9));
    agent("n2", 1, true, formed(7), step(7));
    assertThat(state.steps().step()).isEqualTo(9);
  }

  /**
   * Seed 792: a timer in the past had the coordinator look at its clock a thousand times a second.
   */
  @Test
  void aFailureBesideALostMemberNeedsNoTimer() {
    open(Work.Kind.COMMAND, 3);
    meet(3);
    List.of("n1", "n2", "n3").forEach(this::train);
    assertThat(state.is(RunPhase.TRAINING)).isTrue();
    take(new Input.Opened(null));
    agent("n1", 1, true, launched(), exit());
    cloud(new News.Gone("n2", News.Cause.FAILED, null));
    nowMs += 2_000;
    take(new Input.Tick());
    assertThat(RunMachine.wakeMs(state)).isGreaterThan(nowMs);
  }

  @Test
  void aNewCoordinatorWaitsForTheAgentsBeforeAGenerationForms() {
    open(Work.Kind.MEMBER, 2);
    meet(2);
    take(new Input.Opened(null));
    agent("n1", 1, true, NOWHERE, NO_WORK);
    assertThat(state.membership().number()).isEqualTo(1);
    nowMs += 60_000;
    take(new Input.Tick());
    assertThat(state.node("n2").state()).isEqualTo(NodeState.LOST);
    assertThat(state.membership().names()).containsExactly("n1");
  }

  @Test
  void aRunEndsWhenTheCloudHasConfirmedTheEndOfItsMachines() {
    open(Work.Kind.MEMBER, 1);
    cloud(new News.Granted("n1", "machine"));
    take(new Input.Stop(RunPhase.STOPPED, "asked"));
    assertThat(state.is(RunPhase.STOPPING)).isTrue();
    cloud(new News.Gone("n1", News.Cause.ENDED, null));
    assertThat(state.is(RunPhase.STOPPED)).isTrue();
  }

  @Test
  void aSuspicionThatIsWrongCostsNobodyItsPlaceAndAllMeetAgain() {
    open(Work.Kind.MEMBER, 2);
    meet(2);
    agent("n1", 1, true, suspects("n2"), NO_WORK);
    agent("n2", 1, true, suspects("n1"), NO_WORK);
    pass(1_000);
    assertThat(state.membership().number()).isEqualTo(2);
    assertThat(state.membership().names()).containsExactly("n1", "n2");
    assertThat(state.membership().restarts()).isZero();
  }

  @Test
  void aMemberThatOthersCannotReachInThreeGenerationsIsLost() {
    open(Work.Kind.MEMBER, 3);
    meet(3);
    for (int i = 0; i < 3; i++) {
      assertThat(state.node("n2").lives()).isTrue();
      agent("n1", 1, true, suspects("n2"), NO_WORK);
      pass(7_000);
    }
    assertThat(state.node("n2").state()).isEqualTo(NodeState.LOST);
    assertThat(state.membership().names()).containsExactly("n1", "n3");
  }

  @Test
  void aMemberThatDoesNotFormIsStartedAgainAndThenLost() {
    open(Work.Kind.MEMBER, 2);
    meet(2);
    agent("n2", 1, true, suspects("n1"), NO_WORK);
    pass(21_000);
    assertThat(state.node("n1").process().killed()).isEqualTo(1);
    assertThat(state.node("n1").process().killReason())
        .isEqualTo("The training process did not form within 20.0 s.");
    pass(21_000);
    assertThat(state.node("n1").state()).isEqualTo(NodeState.LOST);
    assertThat(state.membership().names()).containsExactly("n2");
  }

  @Test
  void membersThatTakeLongToFormAreWaitedForAsLongAsOneSaysSo() {
    open(Work.Kind.MEMBER, 2);
    meet(2);
    for (int i = 1; i <= 20; i++) {
      pass(10_000);
      agent("n1", 1, true, new AgentStatus.Barrier(0, 0, 0, i, null, null), NO_WORK);
    }
    assertThat(state.membership().number()).isEqualTo(1);
    assertThat(state.nodes()).allMatch(life -> life.process().killed() == 0 && life.lives());
  }

  @Test
  void aProcessThatMakesNoStepIsStartedAgainOnItsNode() {
    open(Work.Kind.MEMBER, 1);
    meet(1);
    agent("n1", 1, true, formed(0), step(1));
    pass(29_000);
    assertThat(state.node("n1").process().killed()).isZero();
    pass(2_000);
    assertThat(state.node("n1").process().killed()).isEqualTo(1);
    assertThat(state.node("n1").lives()).isTrue();
  }

  @Test
  void aCommandThatIsSilentBesideOneThatPrintsDoesNotHang() {
    open(Work.Kind.COMMAND, 2);
    meet(2);
    List.of("n1", "n2").forEach(this::train);
    AgentStatus.Work silent = new AgentStatus.Work(null, List.of(), null, 1);
    agent("n1", 1, true, launched(), silent);
    pass(100_000);
    assertThat(state.membership().restarts()).isZero();
    agent("n2", 1, true, launched(), silent);
    pass(31_000);
    assertThat(state.membership().restarts()).isEqualTo(1);
  }

  @Test
  void aRunThatCannotDoWithoutAProcessWaitsUntilItIsStartedAgain() {
    open(Work.Kind.MEMBER, 1);
    meet(1);
    agent("n1", 1, true, formed(0), step(1));
    agent("n1", 1, false, NOWHERE, exit());
    assertThat(state.is(RunPhase.WAITING)).isTrue();
    assertThat(state.node("n1").process().start()).isEqualTo(2);
    agent("n1", 2, true, NOWHERE, NO_WORK);
    pass(1_000);
    assertThat(state.is(RunPhase.FORMING)).isTrue();
    assertThat(state.membership().names()).containsExactly("n1");
  }

  /** Seed 1006021: the news that took the notice back was lost, and the run waited for ever. */
  @Test
  void aProcessThatEndedAfterANoticeIsStartedAgainIfTheCloudDoesNotTakeItsNode() {
    open(Work.Kind.MEMBER, 1);
    meet(1);
    agent("n1", 1, true, formed(0), step(1));
    cloud(new News.Noticed("n1", 120, "the cloud takes it"));
    agent("n1", 1, false, NOWHERE, exit());
    pass(179_000);
    assertThat(state.node("n1").process().start()).isEqualTo(1);
    pass(2_000);
    assertThat(state.node("n1").process().start()).isEqualTo(2);
    agent("n1", 2, true, NOWHERE, NO_WORK);
    pass(1_000);
    assertThat(state.membership().names()).containsExactly("n1");
  }

  /** Seed 6012626: the coordinator died when the end was on disk, and the restart was not. */
  @Test
  void aProcessWhoseEndIsLoggedWithoutARestartIsStartedAgain() {
    open(Work.Kind.MEMBER, 1);
    meet(1);
    agent("n1", 1, true, formed(0), step(1));
    agent("n1", 1, false, NOWHERE, exit());
    while (!(log.get(log.size() - 1).event() instanceof Event.Exited)) {
      log.remove(log.size() - 1);
    }
    state = RunState.of(state.facts(), log);
    assertThat(state.node("n1").process().start()).isEqualTo(1);
    take(new Input.Opened(null));
    agent("n1", 1, false, NOWHERE, exit());
    assertThat(state.node("n1").process().start()).isEqualTo(2);
    assertThat(state.membership().restarts()).isEqualTo(1);
  }

  @Test
  void aNodeWhoseNoticeCameLongAgoTrainsLikeAnyOther() {
    open(Work.Kind.MEMBER, 1);
    meet(1);
    agent("n1", 1, true, formed(0), step(1));
    cloud(new News.Noticed("n1", 30, "the cloud takes it"));
    assertThat(state.node("n1").state()).isEqualTo(NodeState.NOTICED);
    for (int step = 2; step <= 12; step++) {
      pass(10_000);
      agent("n1", 1, true, formed(0), step(step));
    }
    assertThat(state.node("n1").state()).isEqualTo(NodeState.TRAINING);
    assertThat(state.node("n1").process().start()).isEqualTo(1);
  }

  @Test
  void aNoticeThatTheMachineItselfGotCountsLikeOneOfTheCloudUntilItIsWithdrawn() {
    open(Work.Kind.COMMAND, 2, 1);
    meet(2);
    train("n1");
    train("n2");
    machineNotice("n2", new AgentStatus.MachineNotice(1, 100, "aws terminate", true));
    assertThat(state.node("n2").state()).isEqualTo(NodeState.NOTICED);
    int events = log.size();
    machineNotice("n2", new AgentStatus.MachineNotice(1, 100, "aws terminate", true));
    assertThat(log).hasSize(events);
    assertThat(AgentOrdersOf.node(state, state.node("n2"), LogRanks.NONE).notice())
        .as("the agent passed it on itself")
        .isNull();
    machineNotice("n2", new AgentStatus.MachineNotice(1, 100, "aws terminate", false));
    assertThat(state.node("n2").state()).isEqualTo(NodeState.TRAINING);
    cloud(new News.Noticed("n2", 30, "the market will take it"));
    machineNotice("n2", new AgentStatus.MachineNotice(1, 100, "aws terminate", false));
    assertThat(state.node("n2").state())
        .as("a machine cannot withdraw what the cloud said")
        .isEqualTo(NodeState.NOTICED);
  }

  @Test
  void aStopWaitsForASaveThatSurvivesTheNodesAndForNoneThatFailed() {
    open(Work.Kind.MEMBER, 1);
    meet(1);
    agent("n1", 1, true, formed(0), step(3));
    log.add(new Logged(nowMs, nowMs, new Event.Parting(RunPhase.STOPPED, "enough", 3)));
    state = RunState.of(state.facts(), log);
    save("FAILED");
    save("REPLICATED");
    assertThat(state.is(RunPhase.STOPPING)).isFalse();
    save("ARCHIVED");
    assertThat(state.is(RunPhase.STOPPING)).isTrue();
  }

  private void save(String level) {
    Report.Step step = new Report.Step(1, 3, 3, 1, 0, 0, 0, 0);
    AgentStatus.Work work =
        new AgentStatus.Work(step, List.of(new Report.Saved(3, level, "")), null, 0);
    agent("n1", 1, true, formed(0), work);
  }

  /** Seed 1: every pool had refused for good while a node lived, and the run waited for ever. */
  @Test
  void aRunWhoseLastNodeIsLostAfterEveryPoolRefusedForGoodFails() {
    open(Work.Kind.MEMBER, 2);
    cloud(new News.Granted("n1", "machine"));
    cloud(new News.Refused("n2", News.Refusal.DENIED, "no permission", 0));
    assertThat(state.isOver()).isFalse();
    cloud(new News.Gone("n1", News.Cause.FAILED, null));
    assertThat(state.is(RunPhase.STOPPING)).isTrue();
    assertThat(state.phase().outcome()).isEqualTo(RunPhase.FAILED);
  }

  /** Seed 115: the report of the second member came when the first had made two steps. */
  @Test
  void aMemberThatReportsLateDoesNotSetTheStepsBack() {
    open(Work.Kind.MEMBER, 2, 2);
    meet(2);
    agent("n1", 1, true, formed(7), step(9));
    agent("n2", 1, true, formed(7), NO_WORK);
    assertThat(state.steps().step()).isEqualTo(9);
  }

  /** Seed 998: one status brought the join of a member and what it had saved since. */
  @Test
  void aJoinIsLoggedBeforeWhatTheMemberSavedInTheSameStatus() {
    open(Work.Kind.MEMBER, 1);
    meet(1);
    save("DURABLE");
    assertThat(log)
        .extracting(Logged::event)
        .filteredOn(event -> event instanceof Event.Joined || event instanceof Event.Saved)
        .extracting(Object::getClass)
        .hasSize(2)
        .first()
        .isEqualTo(Event.Joined.class);
  }
}

package io.deepvm.cluster.agent;

import static io.deepvm.cluster.agent.AgentDrill.PORT;
import static io.deepvm.cluster.agent.AgentDrill.commands;
import static io.deepvm.cluster.agent.AgentDrill.formation;
import static io.deepvm.cluster.agent.AgentDrill.led;
import static io.deepvm.cluster.agent.AgentDrill.without;
import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cluster.link.AgentOrders;
import io.deepvm.cluster.link.AgentOrders.NoticeOrder;
import io.deepvm.cluster.link.AgentStatus;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.output.LogRanks;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class AgentMachineTest {

  private static final Report.Saved SAVED = new Report.Saved(9, "DURABLE", "stopped");

  private static Report.Step step(long generation, long step) {
    return new Report.Step(generation, step, step * 64, 0.5, 0, 0, 0, 0);
  }

  // --- Starting ---

  @Test
  void aMemberStartsWhenOrderedAndIsReadyWhenItSaysSo() {
    AgentDrill drill = AgentDrill.member();
    assertThat(drill.status().process().ready()).isFalse();
    assertThat(drill.start(1)).containsExactly(new AgentAction.Launch(1, null));
    assertThat(drill.repeat()).isEmpty();
    assertThat(drill.status().process())
        .isEqualTo(new AgentStatus.TrainingProcess(1, false, 0, null));
    assertThat(drill.report(1, new Report.Ready(PORT))).isEmpty();
    assertThat(drill.status().process())
        .isEqualTo(new AgentStatus.TrainingProcess(1, true, PORT, null));
  }

  @Test
  void aNodeThatStillBootsIsNotReadyThoughItsProcessIs() {
    AgentDrill drill = AgentDrill.bootingMember(5_000);
    drill.start(1);
    drill.report(1, new Report.Ready(PORT));
    assertThat(drill.status().process())
        .isEqualTo(new AgentStatus.TrainingProcess(1, false, 0, null));
    assertThat(drill.passAlone(4.999)).isEmpty();
    assertThat(drill.status().process().ready()).isFalse();
    drill.passAlone(0.001);
    assertThat(drill.status().process())
        .isEqualTo(new AgentStatus.TrainingProcess(1, true, PORT, null));
  }

  @Test
  void aProcessThatDoesNotGetReadyIsKilledAndThatIsReported() {
    AgentDrill drill = AgentDrill.member();
    drill.start(1);
    assertThat(drill.pass(59.999)).isEmpty();
    assertThat(drill.pass(0.001)).containsExactly(new AgentAction.Kill(1));
    assertThat(drill.status().process().exit()).isNull();
    drill.exit(1, 137, "");
    assertThat(drill.exit())
        .isEqualTo(
            new AgentStatus.Exit(
                1, 0, -1, "The training process did not get ready within 60.0 s.", null));
  }

  @Test
  void aProcessThatCannotBeStartedIsReported() {
    AgentDrill drill = AgentDrill.member();
    drill.start(1);
    drill.exit(1, 127, "no such file");
    assertThat(drill.exit()).isEqualTo(new AgentStatus.Exit(1, 0, 127, "no such file", null));
  }

  @Test
  void aProcessThatEndedIsStartedAgainOnlyWhenOrdered() {
    AgentDrill drill = AgentDrill.readyMember();
    drill.exit(1, 3, "no data");
    assertThat(drill.pass(5)).isEmpty();
    assertThat(drill.status().process().ready()).isFalse();
    assertThat(drill.start(2)).containsExactly(new AgentAction.Launch(2, null));
    assertThat(drill.exit().tail()).isEqualTo("no data");
  }

  // --- Generations of members ---

  @Test
  void aMemberIsToldEachGenerationOnce() {
    AgentDrill drill = AgentDrill.readyMember();
    AgentOrders.Formation first = formation(1, PORT);
    assertThat(drill.form(first))
        .containsExactly(new AgentAction.Tell(1, new Order.Form(1, 1, first.members())));
    assertThat(drill.repeat()).isEmpty();
    assertThat(drill.notice(null)).isEmpty();
    assertThat(drill.form(formation(2, PORT))).hasSize(1);
  }

  @Test
  void aGenerationOfAnOlderProcessIsNotTold() {
    AgentDrill drill = AgentDrill.trainingMember();
    drill.exit(1, 1, "");
    drill.start(2);
    drill.report(2, new Report.Ready(PORT + 1));
    assertThat(drill.form(formation(2, PORT))).isEmpty();
    assertThat(drill.status().process().port()).isEqualTo(PORT + 1);
    assertThat(drill.form(formation(3, PORT + 1))).hasSize(1);
  }

  @Test
  void aGenerationWithTheOldPortIsNotToldToANewProcessThatGotThatPort() {
    AgentDrill drill = AgentDrill.trainingMember();
    drill.exit(1, 1, "");
    drill.start(2);
    drill.report(2, new Report.Ready(PORT));
    assertThat(drill.repeat()).isEmpty();
  }

  @Test
  void aMemberThatHasNoPlaceAnyMoreEndsWithItsProcess() {
    AgentDrill drill = AgentDrill.trainingMember();
    assertThat(drill.form(without(2)))
        .containsExactly(
            new AgentAction.Kill(1),
            new AgentAction.End("generation 2 has no place for this node"));
    assertThat(drill.isOver()).isTrue();
    assertThat(drill.repeat()).isEmpty();
  }

  @Test
  void aNodeThatIsNotAMemberYetIgnoresGenerationsOfOthers() {
    AgentDrill drill = AgentDrill.readyMember();
    assertThat(drill.form(without(1))).isEmpty();
    assertThat(drill.form(formation(2, PORT))).hasSize(1);
  }

  @Test
  void aNodeWhoseProcessEndedIsNoMemberUntilTheNextJoins() {
    AgentDrill drill = AgentDrill.trainingMember();
    drill.exit(1, 1, "");
    assertThat(drill.form(without(2))).isEmpty();
    assertThat(drill.isOver()).isFalse();
  }

  @Test
  void theNewestReportOfEachKindIsKept() {
    AgentDrill drill = AgentDrill.trainingMember();
    drill.report(1, step(1, 7));
    drill.report(1, step(1, 8));
    drill.report(1, new Report.Saved(7, "REPLICATED", ""));
    drill.report(1, new Report.Saved(7, "DURABLE", ""));
    drill.report(1, new Report.Saved(8, "REPLICATED", ""));
    drill.report(1, new Report.Forming(1));
    drill.report(1, new Report.Forming(1));
    drill.report(1, new Report.Suspect(1, "n1", "no answer"));
    drill.report(1, new Report.Finished(9, 576, 0.1));
    assertThat(drill.status().work().step()).isEqualTo(step(1, 8));
    assertThat(drill.status().work().saved())
        .containsExactly(new Report.Saved(7, "DURABLE", ""), new Report.Saved(8, "REPLICATED", ""));
    assertThat(drill.status().work().finished()).isEqualTo(new Report.Finished(9, 576, 0.1));
    assertThat(drill.status().barrier().forming()).isEqualTo(2);
    assertThat(drill.status().barrier().suspect())
        .isEqualTo(new Report.Suspect(1, "n1", "no answer"));
    assertThat(drill.status().barrier().formed())
        .isEqualTo(new Report.Formed(1, 0, Report.Origin.FRESH));
  }

  @Test
  void aProcessThatEndedTrainsNoMore() {
    AgentDrill drill = AgentDrill.trainingMember();
    drill.exit(1, 1, "out of memory");
    assertThat(drill.status().barrier().formed()).isNull();
    assertThat(drill.exit()).isEqualTo(new AgentStatus.Exit(1, 1, 1, "out of memory", null));
  }

  @Test
  void anExitIsReportedUntilTheNextGeneration() {
    AgentDrill drill = AgentDrill.trainingMember();
    drill.exit(1, 1, "");
    drill.start(2);
    drill.report(2, new Report.Ready(PORT + 1));
    assertThat(drill.exit().number()).isEqualTo(1);
    drill.form(formation(2, PORT + 1));
    assertThat(drill.status().process().exit()).isNull();
  }

  @Test
  void aProcessThatWasReplacedIsIgnored() {
    AgentDrill drill = AgentDrill.readyMember();
    drill.exit(1, 1, "");
    drill.start(2);
    AgentStatus before = drill.status();
    drill.report(1, new Report.Ready(9));
    drill.report(1, step(1, 5));
    drill.exit(1, 4, "late");
    assertThat(drill.status()).isEqualTo(before);
  }

  // --- Killing ---

  @Test
  void aProcessIsKilledByOrderAndTheReasonIsItsEnd() {
    AgentDrill drill = AgentDrill.trainingMember();
    assertThat(drill.kill(1, "No step was made for 60 s."))
        .containsExactly(new AgentAction.Kill(1));
    assertThat(drill.status().process().ready()).isFalse();
    assertThat(drill.start(2)).isEmpty();
    assertThat(drill.exit(1, 137, "the tail")).containsExactly(new AgentAction.Launch(2, null));
    assertThat(drill.exit())
        .isEqualTo(new AgentStatus.Exit(1, 1, -1, "No step was made for 60 s.", null));
    assertThat(drill.repeat()).isEmpty();
  }

  @Test
  void aKilledProcessThatDoesNotGoEndsTheAgent() {
    AgentDrill drill = AgentDrill.trainingMember();
    drill.kill(1, "hangs");
    assertThat(drill.pass(5.999)).isEmpty();
    assertThat(drill.pass(0.001))
        .containsExactly(
            new AgentAction.Kill(1), new AgentAction.End("the process 1 does not end"));
  }

  // --- Generations of commands ---

  @Test
  void aNodeOfACommandIsReadyWithoutAProcess() {
    AgentDrill drill = AgentDrill.command("");
    drill.start(1);
    assertThat(drill.status().process())
        .isEqualTo(new AgentStatus.TrainingProcess(0, true, 0, null));
  }

  @Test
  void aCommandStartsWhenAllHaveClearedAndThePortIsKnown() {
    AgentDrill drill = AgentDrill.command("");
    assertThat(drill.form(commands(1, 0))).isEmpty();
    assertThat(drill.status().barrier().cleared()).isEqualTo(1);
    assertThat(drill.repeat()).isEmpty();
    AgentOrders.Formation met = commands(1, 7000);
    assertThat(drill.form(met)).containsExactly(new AgentAction.Launch(1, met));
    assertThat(drill.status().barrier().launched()).isZero();
    drill.take(new AgentInput.Started(1));
    assertThat(drill.status().barrier().launched()).isEqualTo(1);
    assertThat(drill.repeat()).isEmpty();
  }

  @Test
  void theFirstMemberPicksThePortAndKeepsToIt() {
    AgentDrill drill = AgentDrill.command("");
    assertThat(drill.form(led(1, 0))).containsExactly(new AgentAction.PickPort(1));
    assertThat(drill.repeat()).isEmpty();
    assertThat(drill.status().barrier().cleared()).isZero();
    drill.take(new AgentInput.PortPicked(1, 7001));
    drill.take(new AgentInput.PortPicked(1, 7002));
    assertThat(drill.status().barrier().cleared()).isEqualTo(1);
    assertThat(drill.status().barrier().masterPort()).isEqualTo(7001);
  }

  @Test
  void thePortOfAnOlderGenerationIsNotTheNextOnes() {
    AgentDrill drill = AgentDrill.command("");
    drill.form(led(1, 0));
    assertThat(drill.form(led(2, 0))).containsExactly(new AgentAction.PickPort(2));
    drill.take(new AgentInput.PortPicked(1, 7001));
    assertThat(drill.status().barrier().cleared()).isZero();
    drill.take(new AgentInput.PortPicked(2, 7002));
    assertThat(drill.status().barrier().masterPort()).isEqualTo(7002);
    drill.form(led(3, 0));
    assertThat(drill.status().barrier().masterPort()).isZero();
  }

  @Test
  void anOldCommandIsEndedBeforeTheNextAndItsEndIsNotReported() {
    AgentDrill drill = AgentDrill.runningCommand("");
    assertThat(drill.form(commands(2, 0)))
        .containsExactly(new AgentAction.Stop(1, "the next generation", 5));
    assertThat(drill.status().barrier().cleared()).isEqualTo(1);
    // one more meanwhile: the command was asked already
    assertThat(drill.form(commands(3, 0))).isEmpty();
    drill.exit(1, 143, "terminated");
    assertThat(drill.status().process().exit()).isNull();
    assertThat(drill.status().barrier().cleared()).isEqualTo(3);
    AgentOrders.Formation met = commands(3, 7003);
    assertThat(drill.form(met)).containsExactly(new AgentAction.Launch(2, met));
  }

  @Test
  void aCommandThatDoesNotEndEndsTheAgentBecauseOthersWaitForIt() {
    AgentDrill drill = AgentDrill.runningCommand("");
    drill.form(commands(2, 0));
    assertThat(drill.pass(10.999)).isEmpty();
    assertThat(drill.pass(0.001))
        .containsExactly(
            new AgentAction.Kill(1), new AgentAction.End("the process 1 does not end"));
  }

  @Test
  void aCommandThatEndedIsNotStartedAgainInItsGeneration() {
    AgentDrill drill = AgentDrill.runningCommand("");
    drill.take(new AgentInput.Ended(1, 1, "failed", 3));
    assertThat(drill.exit()).isEqualTo(new AgentStatus.Exit(1, 1, 1, "failed", 3));
    assertThat(drill.repeat()).isEmpty();
    drill.form(commands(2, 0));
    assertThat(drill.status().process().exit()).isNull();
    assertThat(drill.form(commands(2, 7001))).hasSize(1);
  }

  @Test
  void aCommandThatCannotBeStartedWasNotLaunched() {
    AgentDrill drill = AgentDrill.command("");
    drill.form(commands(1, 0));
    drill.form(commands(1, 7000));
    drill.exit(1, 127, "not found");
    assertThat(drill.status().barrier().launched()).isZero();
    assertThat(drill.exit().code()).isEqualTo(127);
    assertThat(drill.exit().generation()).isEqualTo(1);
    assertThat(drill.repeat()).isEmpty();
  }

  @Test
  void whatAnOlderCommandDoesIsNotTheNewOnes() {
    AgentDrill drill = AgentDrill.runningCommand("");
    drill.form(commands(2, 0));
    drill.exit(1, 143, "");
    drill.form(commands(2, 7001));
    drill.take(new AgentInput.Started(1));
    assertThat(drill.status().barrier().launched()).isEqualTo(1);
    drill.take(new AgentInput.Started(2));
    assertThat(drill.status().barrier().launched()).isEqualTo(2);
    drill.pass(10);
    drill.take(new AgentInput.Wrote(1));
    drill.pass(10);
    assertThat(drill.status().work().silent()).isEqualTo(2);
  }

  @Test
  void aCommandThatSaysItIsReadyIsNoMember() {
    AgentDrill drill = AgentDrill.command("");
    drill.form(commands(1, 0));
    drill.form(commands(1, 7000));
    drill.report(1, new Report.Ready(PORT));
    assertThat(drill.status().process().port()).isZero();
    drill.take(new AgentInput.Started(1));
    assertThat(drill.status().barrier().launched()).isEqualTo(1);
  }

  @Test
  void aNodeOfACommandThatHasNoPlaceAnyMoreEnds() {
    AgentDrill drill = AgentDrill.runningCommand("");
    assertThat(drill.form(without(2))).hasSize(2);
    assertThat(drill.isOver()).isTrue();
  }

  // --- Silence ---

  @Test
  void aCommandThatPrintsNothingIsReportedAndAgainWhenItPrints() {
    AgentDrill drill = AgentDrill.runningCommand("");
    drill.pass(19);
    drill.take(new AgentInput.Wrote(1));
    drill.pass(19.999);
    assertThat(drill.status().work().silent()).isZero();
    drill.pass(0.001);
    assertThat(drill.status().work().silent()).isEqualTo(1);
    drill.take(new AgentInput.Wrote(1));
    assertThat(drill.status().work().silent()).isZero();
  }

  @Test
  void aCommandThatEndedIsNotSilent() {
    AgentDrill drill = AgentDrill.runningCommand("");
    drill.pass(21);
    drill.exit(1, 0, "");
    assertThat(drill.status().work().silent()).isZero();
    drill.pass(60);
    assertThat(drill.status().work().silent()).isZero();
  }

  @Test
  void aMemberMayBeSilent() {
    AgentDrill drill = AgentDrill.trainingMember();
    AgentStatus before = drill.status();
    drill.pass(600);
    assertThat(drill.status()).isEqualTo(before);
  }

  // --- Notices ---

  @Test
  void aNoticeIsWrittenAndToldOnceAndDeletedWhenItIsGone() {
    AgentDrill drill = AgentDrill.trainingMember();
    assertThat(drill.notice(new NoticeOrder(1, 120)))
        .containsExactly(
            new AgentAction.WriteNotice(120), new AgentAction.Tell(1, new Order.Notice(120)));
    assertThat(drill.repeat()).isEmpty();
    assertThat(drill.notice(null)).containsExactly(new AgentAction.DeleteNotice());
    assertThat(drill.notice(null)).isEmpty();
    assertThat(drill.notice(new NoticeOrder(2, 30))).hasSize(2);
  }

  @Test
  void aNoticeOfTheMachineItselfIsPassedOnAtOnceAndReported() {
    AgentDrill drill = AgentDrill.trainingMember();
    assertThat(drill.take(noticed("aws terminate", 100, AgentInput.Certainty.CERTAIN)))
        .containsExactly(
            new AgentAction.WriteNotice(100), new AgentAction.Tell(1, new Order.Notice(100)));
    AgentStatus.MachineNotice reported = drill.status().notice();
    assertThat(reported)
        .isEqualTo(
            new AgentStatus.MachineNotice(
                1, 100, "its machine got the notice: aws terminate", true));
    assertThat(drill.pass(5)).isEmpty();
    assertThat(drill.take(new AgentInput.Withdrawn("gcp preempted"))).isEmpty();
    assertThat(drill.take(new AgentInput.Withdrawn("aws terminate")))
        .containsExactly(new AgentAction.DeleteNotice());
    assertThat(Objects.requireNonNull(drill.status().notice()).stands()).isFalse();
    assertThat(drill.take(noticed("aws terminate", 50, AgentInput.Certainty.CERTAIN))).hasSize(2);
    assertThat(Objects.requireNonNull(drill.status().notice()).number()).isEqualTo(2);
  }

  @Test
  void aHintLetsAMemberSaveAndChangesNothingElse() {
    AgentDrill drill = AgentDrill.trainingMember();
    assertThat(drill.take(noticed("aws rebalance", 120, AgentInput.Certainty.HINT)))
        .containsExactly(new AgentAction.Tell(1, new Order.Notice(120)));
    assertThat(drill.status().notice()).isNull();
    AgentDrill command = AgentDrill.runningCommand("TERM");
    assertThat(command.take(noticed("aws rebalance", 120, AgentInput.Certainty.HINT))).isEmpty();
  }

  @Test
  void theRequestToEndIsANoticeAndTheAgentEndsWhenItsTimeIsOver() {
    AgentDrill drill = AgentDrill.trainingMember();
    assertThat(drill.take(noticed("SIGTERM", 20, AgentInput.Certainty.FINAL))).hasSize(2);
    assertThat(drill.pass(19)).isEmpty();
    assertThat(drill.pass(1))
        .containsExactly(new AgentAction.Stop(1, "the time of the last notice is over", 5));
    assertThat(drill.exit(1, 0, ""))
        .containsExactly(new AgentAction.End("the time of the last notice is over"));
  }

  @Test
  void anAgentWithoutACoordinatorEndsAtTheRequestTooIfALaterNoticeCame() {
    AgentDrill drill = AgentDrill.member();
    drill.take(noticed("SIGTERM", 20, AgentInput.Certainty.FINAL));
    drill.take(noticed("aws terminate", 100, AgentInput.Certainty.CERTAIN));
    assertThat(drill.passAlone(20))
        .containsExactly(new AgentAction.End("the time of the last notice is over"));
  }

  private static AgentInput.Noticed noticed(
      String source, double lead, AgentInput.Certainty certainty) {
    return new AgentInput.Noticed(source, lead, certainty);
  }

  @Test
  void aCommandGetsItsSignalForANotice() {
    assertThat(AgentDrill.runningCommand("USR1").notice(new NoticeOrder(1, 120)))
        .containsExactly(new AgentAction.WriteNotice(120), new AgentAction.Signal(1, "USR1"));
    assertThat(AgentDrill.runningCommand("").notice(new NoticeOrder(1, 120)))
        .containsExactly(new AgentAction.WriteNotice(120));
    assertThat(AgentDrill.command("USR1").notice(new NoticeOrder(1, 120)))
        .containsExactly(new AgentAction.WriteNotice(120));
  }

  // --- The end ---

  @Test
  void anAgentThatIsStoppedEndsItsProcessInOrderAndPassesOnWhatItSaves() {
    AgentDrill drill = AgentDrill.trainingMember();
    assertThat(drill.stop("the work is done"))
        .containsExactly(new AgentAction.Stop(1, "the work is done", 5));
    assertThat(drill.repeat()).isEmpty();
    drill.report(1, step(1, 99));
    drill.report(1, SAVED);
    assertThat(drill.exit(1, 0, "")).containsExactly(new AgentAction.End("the work is done"));
    assertThat(drill.status().work().saved()).containsExactly(SAVED);
    assertThat(drill.status().work().step()).isNull();
    assertThat(drill.status().process().exit()).isNull();
  }

  @Test
  void anAgentWithoutAProcessEndsAtOnce() {
    assertThat(AgentDrill.command("").stop("over")).containsExactly(new AgentAction.End("over"));
  }

  @Test
  void anAgentThatIsStoppedStartsAndTellsNothingMore() {
    AgentDrill drill = AgentDrill.trainingMember();
    drill.stop("over");
    assertThat(drill.form(formation(2, PORT))).isEmpty();
    assertThat(drill.start(2)).isEmpty();
    assertThat(drill.notice(new NoticeOrder(1, 10))).isEmpty();
  }

  @Test
  void anAgentWithoutACoordinatorEnds() {
    AgentDrill drill = AgentDrill.trainingMember();
    assertThat(drill.passAlone(29.999)).isEmpty();
    assertThat(drill.passAlone(0.001))
        .containsExactly(new AgentAction.Kill(1), new AgentAction.End("no coordinator for 30.0 s"));
  }

  @Test
  void anAgentThatNeverSawACoordinatorEndsToo() {
    AgentDrill drill = AgentDrill.member();
    drill.passAlone(30);
    assertThat(drill.isOver()).isTrue();
  }

  @Test
  void repeatedOrdersAreASignOfLife() {
    AgentDrill drill = AgentDrill.trainingMember();
    assertThat(drill.pass(300)).isEmpty();
    assertThat(drill.isOver()).isFalse();
  }

  // --- Waking up ---

  @Test
  void theMachineWakesForEachOfItsTimes() {
    AgentDrill booting = AgentDrill.bootingMember(5_000);
    assertThat(booting.wakesInMs()).isEqualTo(5_000);
    booting.start(1);
    booting.pass(5);
    // the orders come every second, so that only the process counts
    booting.pass(45);
    assertThat(booting.wakesInMs()).isEqualTo(10_000);
    AgentDrill member = AgentDrill.trainingMember();
    assertThat(member.wakesInMs()).isEqualTo(30_000);
    member.kill(1, "hangs");
    assertThat(member.wakesInMs()).isEqualTo(6_000);
    AgentDrill command = AgentDrill.runningCommand("");
    assertThat(command.wakesInMs()).isEqualTo(20_000);
    command.pass(5);
    assertThat(command.wakesInMs()).isEqualTo(15_000);
    command.pass(20);
    assertThat(command.wakesInMs()).isEqualTo(30_000);
    command.form(commands(2, 0));
    assertThat(command.wakesInMs()).isEqualTo(11_000);
  }

  // --- Orders ---

  @Test
  void olderOrdersAreIgnoredAndAreNoSignOfLife() {
    AgentDrill drill = AgentDrill.readyMember();
    AgentOrders old = drill.orders();
    drill.form(formation(1, PORT));
    drill.passAlone(29);
    assertThat(drill.take(new AgentInput.Ordered(old))).isEmpty();
    drill.passAlone(1);
    assertThat(drill.isOver()).isTrue();
  }

  @Test
  void aNewerCoordinatorOverrulesAnOlderOne() {
    AgentDrill drill = AgentDrill.member();
    drill.start(1);
    AgentOrders next =
        new AgentOrders(
            2, 0, null, new AgentOrders.ProcessOrders(1, 0, ""), null, "over", LogRanks.NONE);
    assertThat(drill.take(new AgentInput.Ordered(next)))
        .containsExactly(new AgentAction.Stop(1, "over", 5));
    drill.exit(1, 0, "");
    assertThat(drill.isOver()).isTrue();
  }

  @Test
  void theVersionGrowsOnlyWithAChange() {
    AgentDrill drill = AgentDrill.trainingMember();
    long version = drill.status().version();
    drill.pass(10);
    assertThat(drill.status().version()).isEqualTo(version);
    drill.report(1, step(1, 1));
    assertThat(drill.status().version()).isEqualTo(version + 1);
  }
}

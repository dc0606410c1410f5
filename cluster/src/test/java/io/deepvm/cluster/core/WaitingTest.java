package io.deepvm.cluster.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.places.News;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A run that makes no progress says so every half minute. */
class WaitingTest extends RunMachineScene {

  private List<Event.Waits> waits() {
    return log.stream()
        .map(Logged::event)
        .filter(Event.Waits.class::isInstance)
        .map(Event.Waits.class::cast)
        .toList();
  }

  @Test
  void aRunThatStopsSaysWhichMachinesItWaitsFor() {
    open(Work.Kind.MEMBER, 2);
    cloud(new News.Granted("n1", "machine"));
    take(new Input.Stop(RunPhase.STOPPED, "enough"));
    cloud(new News.Gone("n2", News.Cause.ENDED, null));
    pass(65_000);
    assertThat(waits())
        .extracting(Event.Waits::what)
        .containsExactly("the end of n1", "the end of n1");
    assertThat(waits().get(1).waitedMs()).isEqualTo(60_000);
    assertThat(waits().get(1).next())
        .isEqualTo("the run ends within 244 s, even if its cloud does not confirm that");
  }

  @Test
  void aRunWhoseMembersMakeNoStepSaysSo() {
    silenceSeconds = 1800;
    open(Work.Kind.MEMBER, 1);
    meet(1);
    agent("n1", 1, true, formed(0), step(1));
    pass(29_000);
    agent("n1", 1, true, formed(0), step(2));
    assertThat(waits()).isEmpty();
    pass(29_900);
    assertThat(waits()).isEmpty();
    pass(200);
    assertThat(waits())
        .containsExactly(
            new Event.Waits(
                30_000,
                30_000,
                "step 3",
                "the processes are started again after 1800 s without a step"));
  }

  @Test
  void aCommandThatShowsNoOutputIsReportedAndOneThatPrintsIsNot() {
    silenceSeconds = 1800;
    open(Work.Kind.COMMAND, 1);
    meet(1);
    train("n1");
    for (int i = 0; i < 12; i++) {
      pass(10_000);
      take(new Input.Printing());
    }
    assertThat(waits()).isEmpty();
    pass(30_000);
    assertThat(waits())
        .extracting(Event.Waits::what)
        .containsExactly("'train' to end, which shows no output");
  }
}

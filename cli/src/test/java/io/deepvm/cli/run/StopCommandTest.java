package io.deepvm.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.catalog.Market;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cluster.RunFolder;
import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.EventLog;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.member.Role;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class StopCommandTest {

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private void run(Event... events) throws Exception {
    Work work =
        new Work(
            List.of("train"),
            Work.Kind.MEMBER,
            Map.of(),
            "",
            0,
            "",
            new Work.Timeouts(6, 40, 2, 20, 30));
    Files.writeString(
        folder.resolve("run.json"),
        JsonMapper.builder().build().writeValueAsString(RunSpec.of("stuck", work)));
    try (EventLog log = EventLog.open(folder.resolve("events.jsonl"))) {
      log.append(new Logged(1, 1, new Event.Started("stuck", 1, 1, 1, 0)));
      log.append(new Logged(1, 1, new Event.Rented("n1", Role.WORKER, 0, "here", Market.SPOT, 1)));
      for (Event event : events) {
        log.append(new Logged(1, 1, event));
      }
    }
  }

  private int stop() throws Exception {
    StopCommand command =
        new StopCommand(
            new Terminal(
                new PrintWriter(out, true),
                new PrintWriter(err, true),
                false,
                false,
                true,
                Clock.systemUTC()),
            Duration.ofMillis(100));
    return new CommandLine(command).execute(folder.toString());
  }

  @Test
  void aRunThatIsStillStoppingIsNotReportedAsOver() throws Exception {
    run(new Event.RunTurned(RunPhase.STOPPING, "enough", RunPhase.STOPPED));
    try (RunFolder.Hold hold = RunFolder.of(folder).hold()) {
      assertThat(hold).isNotNull();
      assertThat(stop()).isEqualTo(Exit.FAILED_INSIDE);
    }
    assertThat(out.toString()).doesNotContain("over for good");
    assertThat(err.toString())
        .contains("it is STOPPING")
        .contains("the end of these machines is not confirmed: n1");
  }

  @Test
  void aRunThatEndedBeforeItsMachinesWereConfirmedNamesThem() throws Exception {
    run(
        new Event.RunTurned(RunPhase.STOPPING, "enough", RunPhase.STOPPED),
        new Event.RunTurned(RunPhase.STOPPED, "enough"));
    assertThat(stop()).isEqualTo(Exit.FAILED_INSIDE);
    assertThat(err.toString()).contains("The end of these machines was not confirmed: n1.");
  }

  @Test
  void aRunThatEndedWithItsMachinesIsOverForGood() throws Exception {
    run(
        new Event.NodeTurned("n1", NodeState.RELEASED, "over"),
        new Event.Gone("n1", "ENDED"),
        new Event.RunTurned(RunPhase.STOPPING, "enough", RunPhase.STOPPED),
        new Event.RunTurned(RunPhase.STOPPED, "enough"));
    assertThat(stop()).isEqualTo(Exit.DONE);
    assertThat(out.toString()).contains("over for good");
  }
}

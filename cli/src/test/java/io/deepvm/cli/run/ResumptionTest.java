package io.deepvm.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.EventLog;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.log.RunStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResumptionTest {

  @TempDir Path folder;

  /** Writes the log of a run that ended so, or was left alone while it waited. */
  private Resumption run(RunPhase... end) throws Exception {
    Files.writeString(folder.resolve("run.json"), "{}");
    try (EventLog log = EventLog.open(folder.resolve("events.jsonl"))) {
      log.append(new Logged(1, 0, new Event.Started("run", 1, 1, 0, 0)));
      for (RunPhase state : end) {
        log.append(new Logged(2, 1, new Event.RunTurned(RunPhase.STOPPING, "why", state)));
        log.append(new Logged(3, 2, new Event.RunTurned(state, "why")));
      }
    }
    return new Resumption(folder);
  }

  private RunStatus status() throws Exception {
    return RunStatus.of(EventLog.read(folder.resolve("events.jsonl")));
  }

  @Test
  void theKeptLineResumesTheSameCommand() throws Exception {
    Resumption resumption = new Resumption(folder);
    assertThat(resumption.line()).isNull();
    resumption.keep(List.of("run", "--plan", "my plan.json", "--", "python3", "train.py", "it's"));
    assertThat(resumption.line())
        .isEqualTo("deepvm run --plan 'my plan.json' --resume -- python3 train.py 'it'\\''s'");
    resumption.keep(List.of("run", "--plan", "plan.json"));
    assertThat(resumption.line()).isEqualTo("deepvm run --plan plan.json --resume");
  }

  @Test
  void aSecondRunIsToldToGoOnAfterAnInterruption() throws Exception {
    Resumption resumption = run(RunPhase.INTERRUPTED);
    resumption.keep(List.of("run", "--plan", "plan.json"));
    assertThatThrownBy(() -> resumption.requireNone(Clock.systemUTC()))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("already: it is at step 0, and nobody coordinates it.")
        .extracting(e -> ((BadInput) e).wayOut())
        .isEqualTo(
            "Maybe go on with it (deepvm run --plan plan.json --resume), or name another"
                + " --folder.");
    assertThatCode(() -> resumption.requireOpen(Clock.systemUTC())).doesNotThrowAnyException();
    assertThat(resumption.hints(status()))
        .containsExactly(
            "Go on with it: deepvm run --plan plan.json --resume",
            "End it for good: deepvm stop " + folder);
  }

  @Test
  void aRunWhoseCoordinatorIsGoneCanGoOn() throws Exception {
    assertThat(run().hints(status())).first().isEqualTo("The process that coordinated it is gone.");
  }

  @Test
  void aRunThatIsOverIsNotResumedAndItsFolderNotUsedAgain() throws Exception {
    Resumption resumption = run(RunPhase.STOPPED);
    assertThatThrownBy(() -> resumption.requireOpen(Clock.systemUTC()))
        .isInstanceOf(BadInput.class)
        .hasMessage("The run in %s cannot go on: it has stopped (why).".formatted(folder));
    assertThatThrownBy(() -> resumption.requireNone(Clock.systemUTC()))
        .isInstanceOf(BadInput.class)
        .hasMessage("There is a run in %s already: it has stopped.".formatted(folder))
        .extracting(e -> ((BadInput) e).wayOut())
        .isEqualTo("Maybe name another --folder, or delete this one.");
    assertThat(resumption.hints(status())).isEmpty();
  }
}

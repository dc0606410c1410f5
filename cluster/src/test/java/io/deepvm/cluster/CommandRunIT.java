package io.deepvm.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.cluster.output.PrintedLine;
import io.deepvm.transport.Role;
import io.deepvm.transport.TokenFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandRunIT {

  /** Writes its environment down, then waits for a file that says that the work is done. */
  private static final String WAITS =
      """
      env > "$DEEPVM_CHECKPOINT/env-$DEEPVM_GENERATION-$RANK.new"
      mv "$DEEPVM_CHECKPOINT/env-$DEEPVM_GENERATION-$RANK.new" "$DEEPVM_CHECKPOINT/env-$DEEPVM_GENERATION-$RANK"
      sleep 1000 &
      while [ ! -e "$DEEPVM_CHECKPOINT/done" ]; do sleep 0.05; done
      """;

  @TempDir Path folder;

  private List<String> environment(long generation, int rank) throws Exception {
    String name = "env-%d-%d".formatted(generation, rank);
    awaitFile(name);
    return Files.readAllLines(folder.resolve("checkpoint").resolve(name));
  }

  @Test
  void anyCommandIsStartedAgainWithTheNextMembersUntilAllEndWell() throws Exception {
    Scene scene = new Scene();
    Path home = folder.resolve("run");
    RunSpec spec = Scene.spec("any", Scene.script(folder, 0, WAITS));
    RunStatus end;
    try (Run run = Run.start(home, spec, scene.keeping(3, Scene.local(3)))) {
      int trained = scene.await(0, Scene.run(RunPhase.TRAINING));
      Event.Generation first =
          (Event.Generation) scene.events().get(scene.await(0, Scene.generationOf(3))).event();
      assertThat(environment(first.number(), 2))
          .contains(
              "RANK=2",
              "LOCAL_RANK=0",
              "GROUP_RANK=2",
              "WORLD_SIZE=3",
              "LOCAL_WORLD_SIZE=1",
              "MASTER_ADDR=127.0.0.1",
              "TORCHELASTIC_RUN_ID=any",
              "TORCHELASTIC_RESTART_COUNT=0",
              "SKYPILOT_NODE_RANK=2",
              "SKYPILOT_NUM_NODES=3",
              "DEEPVM_GENERATION=" + first.number(),
              "OMP_NUM_THREADS=1");

      scene.agent(first.members().get(0)).destroyForcibly();

      int two = scene.await(trained, Scene.generationOf(2));
      int whole = scene.await(two, Scene.generationOf(3));
      int again = scene.await(whole, Scene.run(RunPhase.TRAINING));
      assertThat(again).isGreaterThan(whole);
      Event.Generation last = (Event.Generation) scene.events().get(whole).event();
      assertThat(environment(last.number(), 0)).contains("RANK=0", "WORLD_SIZE=3");
      assertThat(port(last.number())).isNotEqualTo(port(first.number()));
      Files.createFile(folder.resolve("checkpoint/done"));
      end = run.await(Scene.PATIENCE);
    }
    assertThat(end.state()).isEqualTo(RunPhase.FINISHED);
    assertThat(end.restarts()).isZero();
    Scene.awaitNothingLeft(home);
  }

  @Test
  void theSecretsOfARunAreReplacedWhileItRuns() throws Exception {
    Scene scene = new Scene();
    Path home = folder.resolve("run");
    RunSpec spec = Scene.spec("rotated", Scene.script(folder, 0, WAITS));
    RunStatus end;
    try (Run run = Run.start(home, spec, scene.keeping(2, Scene.local(2)))) {
      int trained = scene.await(0, Scene.run(RunPhase.TRAINING));
      Event.Generation first =
          (Event.Generation) scene.events().get(scene.await(0, Scene.generationOf(2))).event();
      TokenFile.create(home.resolve("token"));
      TokenFile.derive(home.resolve("token"), Role.WORKER, home.resolve("worker.token"));
      // the agent of the next node knows the new secret alone
      scene.agent(first.members().get(0)).destroyForcibly();
      int one = scene.await(trained, Scene.generationOf(1));
      int whole = scene.await(one, Scene.generationOf(2));
      scene.await(whole, Scene.run(RunPhase.TRAINING));
      Files.createFile(folder.resolve("checkpoint/done"));
      end = run.await(Scene.PATIENCE);
    }
    assertThat(end.state()).isEqualTo(RunPhase.FINISHED);
    Scene.awaitNothingLeft(home);
  }

  @Test
  void aTrainingProcessGetsTheSecretsOfWorkersOnly() throws Exception {
    Path home = folder.resolve("run");
    String script =
        """
        cp "$DEEPVM_TOKEN_FILE" "$DEEPVM_CHECKPOINT/given"
        env > "$DEEPVM_CHECKPOINT/env"
        """;
    RunSpec spec = Scene.spec("secrets", Scene.script(folder, 0, script));
    Scene scene = new Scene();
    try (Run run = Run.start(home, spec, scene.keeping(1, Scene.local(1)))) {
      assertThat(run.await(Scene.PATIENCE).state()).as(scene::told).isEqualTo(RunPhase.FINISHED);
    }
    TokenFile given = new TokenFile(folder.resolve("checkpoint/given"));
    for (Role from : Role.values()) {
      for (Role to : Role.values()) {
        assertThat(given.between(from, to))
            .as("%s to %s", from, to)
            .hasSize(from == Role.WORKER || to == Role.WORKER ? 1 : 0);
      }
    }
    assertThat(Files.readString(folder.resolve("checkpoint/env")))
        .contains("DEEPVM_TOKEN_FILE=" + home.resolve("worker.token") + "\n")
        .doesNotContain(home.resolve("token").toString());
  }

  /** Fails once on rank 3 while the others hang, then prints what it finds. */
  private static final String FAILS_ONCE =
      """
      if [ $TORCHELASTIC_RESTART_COUNT = 0 ]; then
        [ $RANK = 3 ] || exec sleep 1000
        echo broken >&2
        exit 9
      fi
      echo "rank $RANK of $WORLD_SIZE, local $LOCAL_RANK of $LOCAL_WORLD_SIZE, node $GROUP_RANK of $GROUP_WORLD_SIZE"
      i=0; while [ $i -lt 2000 ]; do echo "line $i of rank $RANK"; i=$((i + 1)); done
      echo "last words of $RANK" >&2
      """;

  @Test
  void theProcessesOfANodeEndTogetherAndPrintEverythingInOrder() throws Exception {
    Scene scene = new Scene();
    Path home = folder.resolve("run");
    Work work = Scene.script(folder, 1, FAILS_ONCE).withProcesses(Map.of("local", 2));
    RunStatus end;
    try (Run run = Run.start(home, Scene.spec("two", work), scene.keeping(2, Scene.local(2)))) {
      end = run.await(Scene.PATIENCE);
    }
    assertThat(end.state()).as(scene::told).isEqualTo(RunPhase.FINISHED);
    assertThat(end.restarts()).isEqualTo(1);
    assertThat(scene.events())
        .extracting(Logged::event)
        .filteredOn(
            event ->
                event instanceof Event.Exited exited
                    && exited.code() == 9
                    && exited.tail().equals("broken")
                    && Integer.valueOf(1).equals(exited.localRank()))
        .hasSize(1);
    for (int rank = 0; rank < 4; rank++) {
      int of = rank;
      List<String> out =
          scene.printed().stream()
              .filter(line -> line.rank() == of && line.pipe() == PrintedLine.Pipe.OUT)
              .map(PrintedLine::text)
              .toList();
      assertThat(out.get(0))
          .isEqualTo(
              "rank %d of 4, local %d of 2, node %d of 2".formatted(rank, rank % 2, rank / 2));
      assertThat(out.subList(1, out.size()))
          .containsExactlyElementsOf(
              IntStream.range(0, 2000)
                  .mapToObj(i -> "line %d of rank %d".formatted(i, of))
                  .toList());
      assertThat(scene.printed())
          .contains(new PrintedLine(rank, PrintedLine.Pipe.ERR, "last words of " + rank));
    }
    assertThat(Files.readAllLines(home.resolve("nodes/n1/out-1.log"))).hasSize(2001);
    Scene.awaitNothingLeft(home);
  }

  private String port(long generation) throws Exception {
    return environment(generation, 1).stream()
        .filter(line -> line.startsWith("MASTER_PORT="))
        .findFirst()
        .orElseThrow();
  }

  private void awaitFile(String name) throws Exception {
    long until = System.nanoTime() + Scene.PATIENCE.toNanos();
    while (!Files.exists(folder.resolve("checkpoint").resolve(name))) {
      assertThat(System.nanoTime()).as("time to wait for " + name).isLessThan(until);
      Thread.sleep(20);
    }
  }

  @Test
  void aCommandThatFailsIsStartedAgainSoManyTimesAndThenTheRunFails() throws Exception {
    Scene scene = new Scene();
    Path home = folder.resolve("run");
    RunSpec spec =
        Scene.spec(
            "fails",
            Scene.script(
                folder, 2, "echo x >> \"$DEEPVM_CHECKPOINT/tries\"; echo no data >&2; exit 9"));
    RunStatus end;
    try (Run run = Run.start(home, spec, scene.keeping(1, Scene.local(1)))) {
      end = run.await(Scene.PATIENCE);
    }
    assertThat(end.state()).isEqualTo(RunPhase.FAILED);
    assertThat(end.reason()).contains("ended with code 9: no data");
    assertThat(Files.readAllLines(folder.resolve("checkpoint/tries"))).hasSize(3);
    Scene.awaitNothingLeft(home);
  }

  private RunSpec silent(int restarts, String script) throws Exception {
    Work work = Scene.script(folder, restarts, script);
    Work bounded =
        new Work(
            work.command(),
            work.kind(),
            Map.of(),
            work.checkpoint(),
            restarts,
            "",
            work.timeouts().withSilence(3));
    return Scene.spec("silent", bounded);
  }

  @Test
  void commandsThatAllFallSilentAreStartedAgainSoManyTimesAndThenTheRunFails() throws Exception {
    Scene scene = new Scene();
    Path home = folder.resolve("run");
    RunSpec spec = silent(1, "echo x >> \"$DEEPVM_CHECKPOINT/tries\"; exec sleep 1000");
    RunStatus end;
    try (Run run = Run.start(home, spec, scene.keeping(1, Scene.local(1)))) {
      end = run.await(Scene.PATIENCE);
    }
    assertThat(end.state()).isEqualTo(RunPhase.FAILED);
    assertThat(end.reason()).contains("sleep 1000' printed nothing for 3 s.").contains("on n1");
    assertThat(Files.readAllLines(folder.resolve("checkpoint/tries"))).hasSize(2);
    Scene.awaitNothingLeft(home);
  }

  @Test
  void whoIsSilentBesideOneThatPrintsDoesNotHang() throws Exception {
    Scene scene = new Scene();
    Path home = folder.resolve("run");
    // Dots without an end of line, as progress bars are; the second never prints.
    RunSpec spec =
        silent(0, "for i in 1 2 3 4 5 6 7 8; do [ $RANK = 0 ] && printf . ; sleep 1; done; true");
    RunStatus end;
    try (Run run = Run.start(home, spec, scene.keeping(2, Scene.local(2)))) {
      end = run.await(Scene.PATIENCE);
    }
    assertThat(end.state()).as(scene::told).isEqualTo(RunPhase.FINISHED);
    assertThat(end.restarts()).isZero();
  }

  @Test
  void aCommandThatIsNotThereFailsTheRunAtOnce() throws Exception {
    Scene scene = new Scene();
    Path home = folder.resolve("run");
    RunSpec spec = Scene.spec("missing", Scene.script(folder, 5, "exec no-such-program-here"));
    RunStatus end;
    try (Run run = Run.start(home, spec, scene.keeping(2, Scene.local(2)))) {
      end = run.await(Scene.PATIENCE);
    }
    assertThat(end.state()).isEqualTo(RunPhase.FAILED);
    assertThat(end.reason()).contains("was not found").contains("no-such-program-here");
    assertThat(end.restarts()).isZero();
    Scene.awaitNothingLeft(home);
  }

  @Test
  void whatACommandStartedDiesWithItsAgent() throws Exception {
    Scene scene = new Scene();
    Path home = folder.resolve("run");
    RunSpec spec = Scene.spec("orphans", Scene.script(folder, 0, WAITS));
    try (Run run = Run.start(home, spec, scene.keeping(1, Scene.deaf(Scene.local(1))))) {
      scene.await(0, Scene.run(RunPhase.TRAINING));
      awaitFile("env-1-0");
      long agent = scene.agent("n1").pid();
      assertThat(Scene.left(home.resolve("nodes/n1"))).hasSizeGreaterThanOrEqualTo(4);
      // The provider does not help here: only the agent itself is killed.
      scene.agent("n1").destroyForcibly();
      long until = System.nanoTime() + Scene.PATIENCE.toNanos();
      Path first = home.resolve("nodes/n1");
      while (Scene.left(first).stream().anyMatch(process -> process.pid() != agent)) {
        assertThat(System.nanoTime()).as("time for orphans to end").isLessThan(until);
        Thread.sleep(20);
      }
      assertThat(run.status().state().isEnd()).isFalse();
    }
    Scene.awaitNothingLeft(home);
  }

  @Test
  void anOrdinaryPyTorchScriptTrainsThroughALoss() throws Exception {
    String python = "/usr/bin/python3";
    assumeTrue(hasTorch(python), "needs " + python + " with torch");
    Scene scene = new Scene();
    Path home = folder.resolve("run");
    Path script = Path.of(getClass().getResource("/train.py").toURI());
    Work shell = Scene.script(folder, 0, "");
    Work work =
        new Work(
            List.of(python, script.toString()),
            Work.Kind.COMMAND,
            Map.of(),
            shell.checkpoint(),
            0,
            "",
            shell.timeouts());
    RunStatus end;
    try (Run run = Run.start(home, Scene.spec("torch", work), scene.keeping(2, Scene.local(2)))) {
      int going = scene.await(0, Scene.pastStep(10));
      scene.agent("n1").destroyForcibly();
      int one = scene.await(going, Scene.generationOf(1));
      scene.await(one, Scene.generationOf(2));
      end = run.await(Scene.PATIENCE.multipliedBy(2));
    }
    assertThat(end.state()).as(end.reason()).isEqualTo(RunPhase.FINISHED);
    assertThat(end.step()).isEqualTo(60);
    assertThat(end.loss()).isLessThan(1);
    assertThat(end.restarts()).isZero();
    Scene.awaitNothingLeft(home);
  }

  private static boolean hasTorch(String python) throws Exception {
    if (!Files.isExecutable(Path.of(python))) {
      return false;
    }
    Process process = new ProcessBuilder(python, "-c", "import torch").start();
    return process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
  }
}

package io.deepvm.checkpoint.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.AnchorProcess;
import io.deepvm.checkpoint.Behind;
import io.deepvm.checkpoint.Checkpoints;
import io.deepvm.checkpoint.anchor.AnchorClient;
import io.deepvm.checkpoint.anchor.RemoteTier;
import io.deepvm.checkpoint.s3.S3Tier;
import io.deepvm.checkpoint.s3.StoreServer;
import io.deepvm.checkpoint.tier.AnchoredStore;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.FaultPoints;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.Tier;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Scripts in Python, with its standard library alone, that save through an agent. */
@Timeout(180)
class DeepcheckIT {

  private static final String JOB = AgentProcess.JOB;

  @TempDir Path folder;

  @BeforeAll
  static void needsPython() throws InterruptedException {
    Python.assumePython();
  }

  private Path socket() {
    return folder.resolve("own/a.sock");
  }

  private DirectoryTier disk(FaultPoints faults) {
    return new DirectoryTier("disk", Level.DURABLE, folder.resolve("disk"), faults);
  }

  private CheckpointService agent(String memory, Behind behind, FaultPoints faults)
      throws IOException, InterruptedException {
    return new CheckpointService(
        AgentOptions.of(socket(), JOB, DataSize.parse(memory), List.of(disk(faults)))
            .withBehind(behind));
  }

  private List<Long> steps() {
    return new Checkpoints(List.of(disk(FaultPoints.NONE)), 1)
        .list(JOB).checkpoints().stream().map(each -> each.version().step()).toList();
  }

  @Test
  void theClientPassesItsOwnTests() throws Exception {
    try (CheckpointService agent = agent("64MiB", Behind.COALESCE, FaultPoints.NONE)) {
      agent.start();
      Python.run(
          socket(),
          List.of(
              "-m",
              "unittest",
              "-q",
              "test_deepcheck.Buffers",
              "test_deepcheck.Arrays",
              "test_package"));
    }
  }

  @Test
  void aRestoreThatFallsBackTellsTheScript() throws Exception {
    String script =
        """
        import deepcheck, pathlib, sys
        with deepcheck.connect() as dc:
            for step in (1, 2):
                assert dc.save(step, {"w": bytes([step]) * 1000}).wait("DURABLE", 30)
        with deepcheck.connect() as dc:
            print(dc.restore().step, len(dc.restore().problems))
            shard, = pathlib.Path(sys.argv[1]).glob("job/step-000000000002-*/*.safetensors")
            damaged = bytearray(shard.read_bytes())
            damaged[-1] ^= 1
            shard.write_bytes(damaged)
            state = dc.restore()
            print(state.step, state["w"][0], *state.problems)
        """;
    try (CheckpointService agent = agent("16MiB", Behind.COALESCE, FaultPoints.NONE)) {
      agent.start();
      List<String> said =
          Python.run(socket(), List.of("-c", script, folder.resolve("disk").toString()));
      assertThat(said.get(0)).isEqualTo("2 0");
      assertThat(said.get(1)).startsWith("1 1 ").contains("step 2", "is not what was saved");
    }
  }

  @Test
  void aShardedRestoreThatFallsBackTellsTheScript() throws Exception {
    String script =
        """
        import pathlib, sys
        from deepvm import sharded
        class Alone:
            rank, world = 0, 1
            def gather(self, value):
                return [value]
        with sharded.connect(group=Alone()) as dc:
            for step in (1, 2):
                assert dc.save(step, {"w": bytes([step]) * 1000}).wait("DURABLE", 30)
            print(dc.restore().step, len(dc.restore().problems))
            shard, = pathlib.Path(sys.argv[1]).glob("job/step-000000000002-*/*.safetensors")
            damaged = bytearray(shard.read_bytes())
            damaged[-1] ^= 1
            shard.write_bytes(damaged)
            state = dc.restore()
            print(state.step, state["w"][0], *state.problems)
        """;
    try (CheckpointService agent = agent("16MiB", Behind.COALESCE, FaultPoints.NONE)) {
      agent.start();
      List<String> said =
          Python.run(socket(), List.of("-c", script, folder.resolve("disk").toString()));
      assertThat(said.get(0)).isEqualTo("2 0");
      assertThat(said.get(1)).startsWith("1 1 ").contains("step 2", "is not what was saved");
    }
  }

  @Test
  void aClientThatLosesAnAnswerIsNotFenced() throws Exception {
    String script =
        """
        import time
        import deepvm.checkpoint
        from deepvm._agent_line import Line
        with deepvm.checkpoint.connect() as dc:
            first, lost, read = dc.generation, [], Line._next
            def losing(line):
                answer = read(line)
                if not lost:
                    lost.append(answer["generation"] - first)
                    raise ConnectionError("the answer is lost")
                return answer
            dc._lose(dc._line)
            Line._next = losing
            while dc.generation == first and dc._dead is None:
                dc.save(1, {"w": bytes(10)})
                time.sleep(0.01)
            print(*lost, dc.generation - first, dc._dead, dc.save(2, {"w": bytes(10)}).wait())
        """;
    try (CheckpointService agent = agent("16MiB", Behind.COALESCE, FaultPoints.NONE)) {
      agent.start();
      assertThat(Python.run(socket(), List.of("-c", script))).containsExactly("1 2 None True");
    }
  }

  @Test
  void whenStorageIsBehindTheRuleDecides() throws Exception {
    String script =
        """
        import deepcheck, sys
        with deepcheck.connect() as dc:
            tickets = [dc.save(1, {"w": bytes(1_500_000)})]
            sys.stdin.readline()
            tickets += [dc.save(step, {"w": bytes(1_500_000)}) for step in (2, 3, 4)]
            print(*[t.state for t in tickets], flush=True)
            sys.stdin.readline()
            for ticket in tickets:
                ticket.wait("DURABLE", 30)
            print(*[t.state for t in tickets], flush=True)
            print(tickets[2].reasons[0])
        """;
    for (Behind rule : List.of(Behind.SKIP, Behind.COALESCE)) {
      Gate gate = new Gate();
      Path own = folder.resolve(rule.name());
      CheckpointService agent =
          new CheckpointService(
              AgentOptions.of(
                      socket(),
                      JOB,
                      DataSize.parse("4MiB"),
                      List.of(new DirectoryTier("disk", Level.DURABLE, own, gate)))
                  .withBehind(rule));
      agent.start();
      Process process = Python.start(socket(), List.of("-c", script));
      try (agent;
          BufferedReader lines = process.inputReader()) {
        // two states fit, and the first is being written
        boolean skips = rule == Behind.SKIP;
        assertThat(gate.awaitReached()).isTrue();
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        assertThat(lines.readLine())
            .isEqualTo(skips ? "STAGED STAGED SKIPPED SKIPPED" : "STAGED SKIPPED SKIPPED STAGED");
        gate.open();
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        assertThat(lines.readLine())
            .isEqualTo(
                skips ? "DURABLE DURABLE SKIPPED SKIPPED" : "DURABLE SKIPPED SKIPPED DURABLE");
        assertThat(lines.readLine())
            .contains(skips ? "Storage is behind" : "Step 4 took its place");
      } finally {
        process.destroyForcibly();
      }
    }
  }

  @Test
  void whatAKilledScriptHasStagedIsWrittenAndRestoredByTheNext() throws Exception {
    Gate gate = new Gate();
    try (CheckpointService agent = agent("16MiB", Behind.COALESCE, gate)) {
      agent.start();
      Process process =
          Python.start(
              socket(),
              List.of(
                  "-c",
                  """
                  import deepcheck, time
                  dc = deepcheck.connect()
                  print(dc.save(5, {"w": b"five" * 100_000}).state, flush=True)
                  time.sleep(60)
                  """));
      try (BufferedReader lines = process.inputReader()) {
        assertThat(lines.readLine()).isEqualTo("STAGED");
        assertThat(gate.awaitReached()).isTrue();
      } finally {
        process.destroyForcibly();
      }
      Process next =
          Python.start(
              socket(),
              List.of(
                  "-c",
                  """
                  import deepcheck
                  print("begun", flush=True)
                  with deepcheck.connect() as dc:
                      state = dc.restore()
                      print(state.step, bytes(state["w"]) == b"five" * 100_000, dc.generation)
                  """));
      try (BufferedReader lines = next.inputReader()) {
        assertThat(lines.readLine()).isEqualTo("begun");
        gate.open();
        assertThat(lines.readLine()).isEqualTo("5 True 2");
      } finally {
        next.destroyForcibly();
      }
    }
  }

  @Test
  void aNoticePutsTheNewestSaveFirstAndHoldsUpNobodyElse() throws Exception {
    Gate gate = new Gate();
    try (CheckpointService agent = agent("16MiB", Behind.COALESCE, gate)) {
      agent.start();
      Process process =
          Python.start(
              socket(),
              List.of(
                  "-c",
                  """
                  import deepcheck, sys, threading
                  dc = deepcheck.connect()
                  one = dc.save(1, {"w": b"one"})
                  sys.stdin.readline()
                  two, three = [dc.save(step, {"w": b"more"}) for step in (2, 3)]
                  told = []
                  notice = threading.Thread(target=lambda: told.append(dc.notice(60)))
                  notice.start()
                  two.wait("DURABLE", 60)
                  print(one.state, two, three.state, told, flush=True)
                  print(any(dc.notice(0.02) for _ in range(20)), flush=True)
                  sys.stdin.readline()
                  notice.join()
                  print(told, three.state, dc.notice(60), flush=True)
                  """));
      try (BufferedReader lines = process.inputReader()) {
        assertThat(gate.awaitReached()).isTrue();
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        assertThat(lines.readLine())
            .isEqualTo(
                "STAGED Ticket(step=2, SKIPPED, disk: A revocation is near; step 3 goes first.)"
                    + " STAGED []");
        assertThat(lines.readLine()).isEqualTo("False");
        gate.open();
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        assertThat(lines.readLine()).isEqualTo("[True] DURABLE True");
      } finally {
        process.destroyForcibly();
      }
    }
  }

  @Test
  void aScriptKilledWhileItCopiesLeavesNothingHalfDone() throws Exception {
    try (CheckpointService agent = agent("16MiB", Behind.COALESCE, FaultPoints.NONE)) {
      agent.start();
      for (int run = 0; run < 3; run++) {
        Process process =
            Python.start(
                socket(),
                List.of(
                    "-c",
                    """
                    import deepcheck, time
                    dc = deepcheck.connect()
                    assert dc.save(1, {"w": b"one" * 1_000_000}).wait("DURABLE", 30)
                    def copy(sources, offsets, runs):
                        dc._line._copy([(runs[0][0], sources[0], 0, 1000)], [])
                        print("copying", flush=True)
                        time.sleep(60)
                    dc._line.copy = copy
                    dc.save(2, {"w": b"two" * 1_000_000})
                    """));
        try (BufferedReader lines = process.inputReader()) {
          assertThat(lines.readLine()).isEqualTo("copying");
        } finally {
          process.destroyForcibly();
        }
      }
      assertThat(
              Python.run(
                  socket(),
                  List.of(
                      "-c",
                      """
                      import deepcheck
                      with deepcheck.connect() as dc:
                          state = dc.restore()
                          print(state.step, bytes(state["w"]) == b"one" * 1_000_000)
                          print(dc.save(3, {"w": bytes(14_000_000)}).wait("DURABLE", 30))
                      """)))
          .containsExactly("1 True", "True");
    }
    assertThat(steps()).containsOnly(1L, 3L);
    // not even a folder without a manifest
    try (Stream<Path> files = Files.list(folder.resolve("disk").resolve(JOB))) {
      assertThat(files.filter(each -> each.toString().contains("step-000000000002"))).isEmpty();
    }
  }

  @Test
  void trainingGoesOnWhenTheAgentDiesAndSavesAgainWhenItIsBack() throws Exception {
    Process agent = AgentProcess.start(socket(), folder.resolve("disk"), folder);
    Process process =
        Python.start(
            socket(),
            List.of(
                "-c",
                """
                import deepcheck, sys, time
                with deepcheck.connect() as dc:
                    first = dc.save(1, {"w": b"1"})
                    print(first.wait("DURABLE", 30), flush=True)
                    sys.stdin.readline()
                    lost = dc.save(2, {"w": b"2"})
                    print(lost.state, first.state, dc.should_save(2), bool(lost.reasons), flush=True)
                    sys.stdin.readline()
                    step, end = 3, time.monotonic() + 60
                    while not dc.save(step, {"w": b"3"}).wait("DURABLE", 30):
                        assert time.monotonic() < end
                        step += 1
                        time.sleep(0.01)
                    print("back", dc.generation, bytes(dc.restore()["w"]), flush=True)
                """));
    try (BufferedReader lines = process.inputReader()) {
      assertThat(lines.readLine()).isEqualTo("True");
      agent.toHandle().destroyForcibly();
      assertThat(agent.waitFor(30, TimeUnit.SECONDS)).isTrue();
      process.getOutputStream().write('\n');
      process.getOutputStream().flush();
      assertThat(lines.readLine()).isEqualTo("FAILED DURABLE False True");
      agent = AgentProcess.start(socket(), folder.resolve("disk"), folder);
      process.getOutputStream().write('\n');
      process.getOutputStream().flush();
      assertThat(lines.readLine()).isEqualTo("back 2 b'3'");
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
    } finally {
      process.destroyForcibly();
      agent.destroyForcibly();
    }
  }

  @Test
  void savesGoIntoTheStoreWhenTheOnlyAnchorIsKilledAndAreRestoredWithoutIt() throws Exception {
    StoreServer server = new StoreServer();
    Process anchor = AnchorProcess.start(folder.resolve("anchor"));
    try (BufferedReader port = anchor.inputReader()) {
      InetSocketAddress address =
          new InetSocketAddress(
              InetAddress.getLoopbackAddress(), Integer.parseInt(port.readLine()));
      try (AnchorClient client = new AnchorClient(address, null);
          S3Tier store = StoreServer.tier(server.endpoint(), "own")) {
        Tier remote = new RemoteTier("anchor", Level.REPLICATED, client);
        saveThroughAKill(anchor, AnchoredStore.tiers(List.of(remote), store));
        assertThat(new Checkpoints(List.of(store), 1).list(JOB).checkpoints())
            .extracting(each -> each.version().step())
            .containsExactly(3L, 2L, 1L);
      }
      try (S3Tier store = StoreServer.tier(server.endpoint(), "own");
          CheckpointService agent = agent(List.of(store))) {
        agent.start();
        assertThat(
                Python.run(
                    socket(),
                    List.of(
                        "-c",
                        "import deepcheck; s = deepcheck.restore(); print(s.step, bytes(s['w']))")))
            .containsExactly("3 b'three'");
      }
    } finally {
      anchor.destroyForcibly();
      server.stop();
    }
  }

  private CheckpointService agent(List<Tier> tiers) throws IOException, InterruptedException {
    return new CheckpointService(AgentOptions.of(socket(), JOB, DataSize.parse("16MiB"), tiers));
  }

  /** Saves a step with the anchor and two without it; all of them must get into the archive. */
  private void saveThroughAKill(Process anchor, List<Tier> tiers) throws Exception {
    String script =
        """
        import deepcheck, sys
        with deepcheck.connect() as dc:
            print(dc.save(1, {"w": b"one"}).wait("ARCHIVED", 60), flush=True)
            sys.stdin.readline()
            for step, state in (2, b"two"), (3, b"three"):
                ticket = dc.save(step, {"w": state})
                ticket.wait("ARCHIVED", 60)
                print(ticket, flush=True)
            print(dc.restore().step)
        """;
    try (CheckpointService agent = agent(tiers)) {
      agent.start();
      Process process = Python.start(socket(), List.of("-c", script));
      try (BufferedReader lines = process.inputReader()) {
        assertThat(lines.readLine()).isEqualTo("True");
        assertThat(anchor.destroyForcibly().waitFor(30, TimeUnit.SECONDS)).isTrue();
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        assertThat(lines.lines())
            .containsExactly("Ticket(step=2, ARCHIVED)", "Ticket(step=3, ARCHIVED)", "3");
      } finally {
        process.destroyForcibly();
      }
    }
  }

  @Test
  void aDamagedCheckpointIsPassedOverAndOnlyDamagedOnesAreAnError() throws Exception {
    String save =
        """
        import deepcheck
        with deepcheck.connect() as dc:
            for step in 1, 2:
                assert dc.save(step, {"w": bytes([step]) * 100_000}).wait("DURABLE", 30)
        """;
    String restore =
        """
        import deepcheck
        try:
            print(deepcheck.restore().step)
        except deepcheck.Error as problem:
            print("error", str(problem).splitlines()[-1])
        """;
    try (CheckpointService agent = agent("16MiB", Behind.COALESCE, FaultPoints.NONE)) {
      agent.start();
      Python.run(socket(), List.of("-c", save));
      List<Path> shards;
      try (Stream<Path> files = Files.walk(folder.resolve("disk"))) {
        shards = files.filter(f -> f.toString().endsWith(".safetensors")).sorted().toList();
      }
      assertThat(shards).hasSize(2);
      damage(shards.get(1));
      assertThat(Python.run(socket(), List.of("-c", restore))).containsExactly("1");
      damage(shards.get(0));
      assertThat(Python.run(socket(), List.of("-c", restore)).get(0)).startsWith("error Maybe");
    }
  }

  private static void damage(Path shard) throws IOException {
    byte[] bytes = Files.readAllBytes(shard);
    bytes[bytes.length - 10] ^= 1;
    Files.write(shard, bytes);
  }
}

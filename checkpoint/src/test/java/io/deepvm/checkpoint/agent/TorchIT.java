package io.deepvm.checkpoint.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real PyTorch training that is killed. */
@Timeout(300)
class TorchIT {

  /**
   * Runs a script that kills itself with SIGKILL right after it printed the line of a step. The
   * reader of its output would be too late on a busy machine.
   */
  private static final String KILLED_AFTER =
      """
      import builtins, os, runpy, signal, sys
      last, script = "step %s " % sys.argv[1], sys.argv[2]
      said = builtins.print

      def say(*words, **how):
          said(*words, **how)
          if str(words[0]).startswith(last):
              os.kill(os.getpid(), signal.SIGKILL)

      builtins.print, sys.argv = say, sys.argv[2:]
      runpy.run_path(script, run_name="__main__")
      """;

  private static final String EXAMPLE = Python.script("examples/pytorch_resume.py");

  @TempDir Path folder;

  @BeforeAll
  static void needsTorch() throws InterruptedException {
    Python.assumeTorch();
  }

  private Path socket() {
    return folder.resolve("own/a.sock");
  }

  private CheckpointService agent(String job) throws IOException, InterruptedException {
    return new CheckpointService(
        AgentOptions.of(
            socket(),
            job,
            DataSize.parse("64MiB"),
            List.of(new DirectoryTier("disk", Level.DURABLE, folder.resolve("disk")))));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "test_deepcheck.Tensors",
        "test_states",
        "test_sharded",
        "test_integrations",
        "test_elastic"
      })
  void theClientPassesItsOwnTests(String tests) throws Exception {
    try (CheckpointService agent = agent("tensors")) {
      agent.start();
      Python.run(socket(), List.of("-W", "ignore", "-m", "unittest", "-q", tests));
    }
  }

  /** What a training has printed; a step done twice must have had the same loss. */
  private static final class Log {

    final Map<Long, String> losses = new TreeMap<>();
    final List<Long> resumed = new ArrayList<>();
    String end = "";

    void add(String line) {
      String[] words = line.split(" ", -1);
      if (line.startsWith("step ") && words.length == 4) {
        long step = Long.parseLong(words[1]);
        String before = losses.put(step, words[3]);
        assertThat(before).as("step %d", step).isIn(null, words[3]);
      } else if (line.startsWith("resumed at step ")) {
        resumed.add(Long.parseLong(words[3]));
      } else {
        end = line;
      }
    }
  }

  /** Runs the training once per kill, which follows a step, and once more to its end. */
  private Log train(String job, List<String> arguments, long... kills) throws Exception {
    Log log = new Log();
    try (CheckpointService agent = agent(job)) {
      agent.start();
      for (int run = 0; run <= kills.length; run++) {
        boolean isKilled = run < kills.length;
        List<String> command = new ArrayList<>();
        if (isKilled) {
          command.addAll(List.of("-c", KILLED_AFTER, Long.toString(kills[run])));
        }
        command.add(EXAMPLE);
        command.addAll(arguments);
        Process process = Python.start(socket(), command);
        try (BufferedReader lines = process.inputReader()) {
          for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (log.end.isEmpty() && line.matches("(step|resumed|final) .*")) {
              log.add(line);
            }
          }
          assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
          assertThat(process.exitValue()).isEqualTo(isKilled ? 137 : 0);
        } finally {
          process.destroyForcibly();
        }
      }
    }
    return log;
  }

  @ParameterizedTest
  @ValueSource(strings = {"--save-every=10", "--save-every=1", "--save-every=0"})
  void aKilledTrainingEndsWithTheSameLossAsAnUndisturbedOne(String saving) throws Exception {
    Log undisturbed = train("undisturbed", List.of(saving));
    // epochs have 32 steps: in the middle of the first, second, third and fourth
    Log killed = train("killed", List.of(saving), 3, 15, 47, 90, 101);
    assertThat(undisturbed.end).startsWith("final loss ");
    assertThat(undisturbed.losses).hasSize(128);
    assertThat(killed.losses).isEqualTo(undisturbed.losses);
    assertThat(killed.end).isEqualTo(undisturbed.end);
    assertThat(killed.resumed).isNotEmpty();
    if (saving.endsWith("=10")) {
      assertThat(killed.resumed).hasSize(4);
      assertThat(killed.resumed.get(0)).isBetween(10L, 40L);
      assertThat(killed.resumed.get(3)).isGreaterThanOrEqualTo(100);
    }
  }
}

package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cli.console.Exit;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the real start script on the jar that this build made. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ScriptIT {

  private static final Path SCRIPT =
      Path.of(System.getProperty("deepvm.root")).resolve("deepvm").toAbsolutePath();

  @TempDir Path elsewhere;

  private record Ended(int exitCode, String out, String err) {}

  @Test
  void worksFromAnotherFolder() throws Exception {
    assertThat(run(SCRIPT, "--version").out()).startsWith("deepvm ");
  }

  @Test
  void worksThroughSymbolicLinksAndOddNames() throws Exception {
    Path folder = Files.createDirectory(elsewhere.resolve("a folder"));
    Path direct = Files.createSymbolicLink(folder.resolve("direct"), SCRIPT);
    Path relative = Files.createSymbolicLink(elsewhere.resolve("link"), Path.of("a folder/direct"));
    assertThat(run(direct, "--version").out()).startsWith("deepvm ");
    assertThat(run(relative, "--version").out()).startsWith("deepvm ");
  }

  @Test
  void passesArgumentsAndExitCodesThrough() throws Exception {
    assertThat(run(SCRIPT, "plan", "--help").exitCode()).isZero();
    Ended refused = run(SCRIPT, "plan", "--max-price-per-hour", "two words");
    assertThat(refused.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(refused.err()).contains("'two words' is not an amount of dollars");
    assertThat(run(SCRIPT, "plan", "--catalog", "paper", "--max-price-per-hour", "0.01").exitCode())
        .isEqualTo(Exit.INFEASIBLE);
  }

  @Test
  void findsTheDataBesideTheProject() throws Exception {
    Path tables = SCRIPT.resolveSibling("../shared/data/multicloud").normalize();
    Ended ended = run(SCRIPT, "reproduce", "multicloud", "--output", "csv");
    assertThat(ended.out())
        .contains(
            Files.isDirectory(tables)
                ? "data: the full tables in " + tables
                : "data: the extract that is packed");
  }

  @Test
  void saysWhatIsWrongWithJavaHome() throws Exception {
    ProcessBuilder process = new ProcessBuilder(SCRIPT.toString(), "--version");
    process.environment().put("JAVA_HOME", elsewhere.toString());
    Ended ended = run(process);
    assertThat(ended.exitCode()).isEqualTo(1);
    assertThat(ended.err()).contains("has no bin/java").contains("Maybe");
  }

  @Test
  void servicesEndWhenTheMemoryRunsOut() throws Exception {
    Process anchor =
        new ProcessBuilder(
                SCRIPT.toString(),
                "checkpoint",
                "anchor",
                "--listen",
                "127.0.0.1:0",
                "--memory",
                "8MB",
                "--disk",
                elsewhere.resolve("anchor").toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader lines = anchor.inputReader()) {
      assertThat(lines.readLine()).startsWith("Anchor on ");
      assertThat(anchor.info().arguments().orElseThrow()).contains("-XX:+ExitOnOutOfMemoryError");
    } finally {
      anchor.destroyForcibly().waitFor();
    }
  }

  @Test
  void theCoordinatorOfARunEndsWhenItsMemoryRunsOutAndAPlanNeedNot() throws Exception {
    // whatever the script makes on first use, it makes with the real Java
    assertThat(run(SCRIPT, "--version").exitCode()).isZero();
    Path real = Path.of(System.getProperty("java.home"));
    Path home = Files.createDirectory(elsewhere.resolve("java"));
    Files.copy(real.resolve("release"), home.resolve("release"));
    Path java = Files.createDirectory(home.resolve("bin")).resolve("java");
    Files.writeString(java, "#!/bin/sh\necho \"$@\"\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();
    String option = "-XX:+ExitOnOutOfMemoryError";
    for (String[] service :
        new String[][] {
          {"run"}, {"run", "--resume"}, {"checkpoint", "agent"}, {"checkpoint", "anchor"}
        }) {
      assertThat(withJava(home, service).out()).contains(option);
      assertThat(Main.isService(service)).isTrue();
    }
    for (String[] other : new String[][] {{"plan"}, {"checkpoint", "ls"}, {"runs"}, {}}) {
      assertThat(withJava(home, other).out()).contains("-jar").doesNotContain(option);
      assertThat(Main.isService(other)).isFalse();
    }
  }

  private Ended withJava(Path home, String... args) throws Exception {
    List<String> command = new ArrayList<>(List.of(SCRIPT.toString()));
    command.addAll(List.of(args));
    ProcessBuilder process = new ProcessBuilder(command);
    process.environment().put("JAVA_HOME", home.toString());
    return run(process);
  }

  @Test
  void aJarWithoutItsLibrariesSaysWhatIsMissing() throws Exception {
    Path alone = elsewhere.resolve("deepvm.jar");
    Files.copy(SCRIPT.resolveSibling("cli/target/deepvm.jar"), alone);
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Ended ended = run(new ProcessBuilder(java, "-jar", alone.toString(), "--version"));
    assertThat(ended.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(ended.err().lines()).hasSize(2);
    assertThat(ended.err())
        .startsWith("deepvm.jar needs its libraries in " + elsewhere.resolve("lib"))
        .contains("Maybe copy that folder too");
  }

  private Ended run(Path script, String... args) throws Exception {
    List<String> command = new ArrayList<>(List.of(script.toString()));
    command.addAll(List.of(args));
    return run(new ProcessBuilder(command));
  }

  private Ended run(ProcessBuilder process) throws IOException, InterruptedException {
    Path out = elsewhere.resolve("out.txt");
    Path err = elsewhere.resolve("err.txt");
    int exitCode =
        process
            .directory(elsewhere.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start()
            .waitFor();
    return new Ended(exitCode, Files.readString(out), Files.readString(err));
  }
}

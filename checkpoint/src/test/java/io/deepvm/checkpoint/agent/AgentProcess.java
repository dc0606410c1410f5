package io.deepvm.checkpoint.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;

/** An agent in a process of its own, to be killed. */
final class AgentProcess {

  static final String JOB = "job";

  private AgentProcess() {}

  /** Arguments: socket, folder, folder for shared memory. */
  public static void main(String[] args) throws Exception {
    CheckpointService agent =
        new CheckpointService(
            AgentOptions.of(
                    Path.of(args[0]),
                    JOB,
                    DataSize.parse("16MiB"),
                    List.of(new DirectoryTier("disk", Level.DURABLE, Path.of(args[1]))))
                .withShared(List.of(Path.of(args[2]))));
    agent.start();
    System.out.println("READY");
    // ends when the test does
    System.in.transferTo(OutputStream.nullOutputStream());
    System.exit(0);
  }

  /** Starts one and returns once it listens. */
  static Process start(Path socket, Path folder, Path shared) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                AgentProcess.class.getName(),
                socket.toString(),
                folder.toString(),
                shared.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    BufferedReader lines = process.inputReader();
    assertThat(lines.readLine()).isEqualTo("READY");
    return process;
  }
}

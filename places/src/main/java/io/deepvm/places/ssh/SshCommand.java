package io.deepvm.places.ssh;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs commands on a host by the system's ssh, each over a connection of its own. */
final class SshCommand {

  /** What ssh itself ends with if it could not connect, or the connection broke. */
  private static final int NO_CONNECTION = 255;

  private final SshHost host;

  SshCommand(SshHost host) {
    this.host = host;
  }

  /** What a command printed, and the code that it ended with. */
  record Answer(int code, byte[] out, String err) {
    String text() {
      return new String(out, StandardCharsets.UTF_8).strip();
    }
  }

  /**
   * Starts a command there; its standard input and output are the caller's.
   *
   * @param more further options of ssh
   */
  Process start(String command, String... more) throws IOException {
    List<String> line = new ArrayList<>(SshMaster.options(host));
    line.addAll(List.of(more));
    line.addAll(List.of(host.login().host(), command));
    return SshMaster.start(host, line);
  }

  /**
   * Runs a command there to its end.
   *
   * @throws HostProblem if the host cannot be reached, or does not answer in time
   */
  Answer run(String command, SshMaster.Input input, Duration patience) throws IOException {
    Process process = start(command);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Thread outs = daemon(() -> copy(process.getInputStream(), out));
    Thread errs = daemon(() -> copy(process.getErrorStream(), err));
    Thread unused = daemon(() -> feed(process, input));
    try {
      if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        throw new HostProblem(
            host,
            "it did not answer within %d s".formatted(patience.toSeconds()),
            "Maybe it is busy or asleep: try again.");
      }
      outs.join();
      errs.join();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted.", e);
    }
    String said = err.toString(StandardCharsets.UTF_8);
    if (process.exitValue() == NO_CONNECTION) {
      throw HostProblem.ofSsh(host, said.strip().lines().toList());
    }
    return new Answer(process.exitValue(), out.toByteArray(), said);
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "ssh-command");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void copy(InputStream from, ByteArrayOutputStream to) {
    try {
      from.transferTo(to);
    } catch (IOException e) {
      // The command has ended.
    }
  }

  private static void feed(Process to, SshMaster.Input input) {
    try (OutputStream out = to.getOutputStream()) {
      input.write(out);
    } catch (IOException e) {
      // Its exit code says what happened.
    }
  }
}

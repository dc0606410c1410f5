package io.deepvm.cli.coordinator;

import io.deepvm.cli.console.Terminal;
import io.deepvm.places.ssh.CoordinatorHost;
import io.deepvm.places.ssh.HostProblem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Prints what a coordinator elsewhere prints; a connection that breaks is made again. */
final class RemoteConsole {

  private static final long RETRY_MS = 5000;

  private final CoordinatorHost host;
  private final Terminal terminal;

  /** Where the next line begins. */
  private long at;

  private boolean away;

  RemoteConsole(CoordinatorHost host, Terminal terminal) {
    this.host = host;
    this.terminal = terminal;
  }

  /** Prints whole lines from a byte on, until the coordinator has ended. */
  void follow(long fromByte) throws InterruptedException {
    at = fromByte;
    boolean runs = true;
    while (runs) {
      try {
        // What is printed before this answer is read below.
        runs = host.life() == CoordinatorHost.Life.RUNNING;
        print();
        away = false;
      } catch (HostProblem e) {
        runs = true;
        sayAway(String.valueOf(e.getMessage()));
        Thread.sleep(RETRY_MS);
      } catch (IOException e) {
        runs = true;
        Thread.sleep(RETRY_MS);
      }
    }
  }

  private void sayAway(String why) {
    if (!away) {
      terminal.err().println("%s The run goes on there.".formatted(why));
      terminal.err().flush();
    }
    away = true;
  }

  private void print() throws IOException, InterruptedException {
    Process tail = host.follow(at);
    try (InputStream in = tail.getInputStream()) {
      ByteArrayOutputStream line = new ByteArrayOutputStream();
      for (int next = in.read(); next >= 0; next = in.read()) {
        if (next != '\n') {
          line.write(next);
          continue;
        }
        terminal.err().println(line.toString(StandardCharsets.UTF_8));
        terminal.err().flush();
        // A line that a broken connection cut is read again.
        at += line.size() + 1;
        line.reset();
      }
      tail.waitFor();
    } finally {
      tail.destroyForcibly();
    }
  }
}

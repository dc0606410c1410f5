package io.deepvm.places.ssh;

import io.deepvm.base.BadInput;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Reaches the coordinator of a run that works on a host. Every method may block. */
public final class CoordinatorHost {

  private static final Duration SHORT = Duration.ofSeconds(40);

  /** A stop there waits for all nodes. */
  private static final Duration LONG = Duration.ofSeconds(100);

  /** A packed working folder over a slow link. */
  private static final Duration COPY = Duration.ofHours(1);

  private static final String SCRIPT = script();

  private final CoordinatorSeat seat;
  private final SshCommand ssh;

  /** Makes no connection yet. */
  public CoordinatorHost(CoordinatorSeat seat) {
    this.seat = seat;
    this.ssh = new SshCommand(seat.host());
  }

  private static String script() {
    try (InputStream in = CoordinatorHost.class.getResourceAsStream("coordinator.sh")) {
      if (in == null) {
        throw new IllegalStateException("coordinator.sh is missing.");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** How the process of the coordinator stands. */
  public enum Life {
    /** There is none of this run, and never was. */
    NONE,
    RUNNING,
    /** It ended by itself, with a code. */
    ENDED,
    /** It was killed, or its machine was started anew. */
    DEAD
  }

  /** What a command there printed, and the code that it ended with. */
  public record Answer(int code, String out, String err) {}

  private String command(String verb, List<String> words) {
    List<String> all = new ArrayList<>(List.of("coordinator", seat.host().folder(), seat.run()));
    all.add(verb);
    all.addAll(words);
    StringBuilder line = new StringBuilder("exec sh -c ").append(SshMaster.quoted(SCRIPT));
    all.forEach(word -> line.append(' ').append(SshMaster.quoted(word)));
    return line.toString();
  }

  private SshCommand.Answer ask(
      SshMaster.Input input, Duration patience, String verb, List<String> words)
      throws IOException {
    SshCommand.Answer answer = ssh.run(command(verb, words), input, patience);
    if (answer.code() != 0) {
      List<String> lines = answer.err().strip().lines().toList();
      String last = lines.isEmpty() ? "code " + answer.code() : lines.get(lines.size() - 1);
      throw new HostProblem(
          seat.host(), "the coordinator's host said: " + last, "Maybe see its disk and its logs.");
    }
    return answer;
  }

  /** Brings the packed folder of the run. */
  public void put(Path packed) throws IOException {
    var unused = ask(SshMaster.Input.of(packed), COPY, "put", List.of(seat.runtime()));
  }

  /** Starts the coordinator with the words of its command, unless it runs. */
  public void start(List<String> words) throws IOException {
    List<String> all = new ArrayList<>(List.of(seat.name()));
    all.addAll(words);
    var unused = ask(SshMaster.Input.NONE, SHORT, "start", all);
  }

  /** Returns how the process of the coordinator stands. */
  public Life life() throws IOException {
    return life(ask(SshMaster.Input.NONE, SHORT, "state", List.of()).text());
  }

  /** Returns how many bytes the coordinators of the run have printed. */
  public long printed() throws IOException {
    return Long.parseLong(ask(SshMaster.Input.NONE, SHORT, "size", List.of(seat.name())).text());
  }

  /** Returns whether it has taken the run over; refuses one that ended before. */
  public boolean isUp() throws IOException {
    String said = ask(SshMaster.Input.NONE, SHORT, "up", List.of(seat.name())).text();
    if (!said.equals("up") && life(said) != Life.RUNNING) {
      throw new BadInput(
          "The coordinator on %s ended at once: %s".formatted(seat.host().name(), lastWords()),
          "Maybe correct that, and start the run again.");
    }
    return said.equals("up");
  }

  private static Life life(String said) {
    String word = said.split(" ", -1)[0];
    return switch (word) {
      case "none" -> Life.NONE;
      case "running" -> Life.RUNNING;
      case "ended" -> Life.ENDED;
      default -> Life.DEAD;
    };
  }

  private String lastWords() throws IOException {
    Answer console = call("logs", seat.name());
    List<String> lines = console.out().strip().lines().toList();
    return lines.isEmpty() ? "it said nothing." : lines.get(Math.max(0, lines.size() - 2));
  }

  /** Runs a command of DeepVM there, beside the coordinator. */
  public Answer call(String... words) throws IOException {
    SshCommand.Answer answer = ssh.run(command("call", List.of(words)), SshMaster.Input.NONE, LONG);
    return new Answer(answer.code(), answer.text(), answer.err().strip());
  }

  /** Prints the console there from a byte on, until the coordinator or the caller ends. */
  public Process follow(long fromByte) throws IOException {
    return ssh.start(command("follow", List.of(seat.name(), Long.toString(fromByte))));
  }

  /** Runs a command of DeepVM there that serves until the caller ends. */
  public Process serve(String... words) throws IOException {
    return ssh.start(command("serve", List.of(words)));
  }

  /** Leads a port of this machine's loopback to the same one there, until the process ends. */
  public Process tunnel(int port) throws IOException {
    String both = "127.0.0.1:%d:127.0.0.1:%d".formatted(port, port);
    return ssh.start("exec cat >/dev/null", "-o", "ExitOnForwardFailure=yes", "-L", both);
  }

  /** Copies the run's folder there into a packed file here, without keys and tokens. */
  public void fetch(Path packed) throws IOException {
    Files.write(packed, ask(SshMaster.Input.NONE, COPY, "fetch", List.of(seat.name())).out());
  }

  /** Kills the coordinator; returns whether there was one of this run, alive or dead. */
  public boolean kill() throws IOException {
    return !ask(SshMaster.Input.NONE, SHORT, "kill", List.of()).text().equals("none");
  }

  /** Removes everything of a coordinator that has ended. */
  public void forget() throws IOException {
    var unused = ask(SshMaster.Input.NONE, SHORT, "forget", List.of());
  }
}

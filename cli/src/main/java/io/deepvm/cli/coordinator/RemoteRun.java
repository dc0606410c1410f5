package io.deepvm.cli.coordinator;

import io.deepvm.base.BadInput;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.print.Format;
import io.deepvm.cluster.Runs;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.places.ssh.CoordinatorHost;
import io.deepvm.places.ssh.CoordinatorSeat;
import io.deepvm.places.ssh.HostProblem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A run whose coordinator works on a host. Commands about its folder are passed on to that host.
 */
public final class RemoteRun {

  private static final long POLL_MS = 300;
  private static final long UP_MS = 120_000;
  private static final long DOWN_MS = 30_000;

  /** How much of the console is shown of a coordinator that goes on already. */
  private static final long LAST_BYTES = 2000;

  private final Path folder;
  private final Terminal terminal;
  private final CoordinatorSeat seat;
  private final CoordinatorHost host;

  private RemoteRun(Path folder, Terminal terminal, CoordinatorSeat seat) {
    this.folder = folder;
    this.terminal = terminal;
    this.seat = seat;
    this.host = new CoordinatorHost(seat);
  }

  /** Returns the run of the folder if its coordinator works on a host, else null. */
  public static @Nullable RemoteRun of(Path folder, Terminal terminal) throws IOException {
    return CoordinatorSeat.exists(folder)
        ? new RemoteRun(folder, terminal, CoordinatorSeat.read(folder))
        : null;
  }

  /** Returns the seat of the coordinator. */
  public CoordinatorSeat seat() {
    return seat;
  }

  /** Something to ask of the host. */
  @FunctionalInterface
  private interface Asking<T> {
    T ask() throws IOException;
  }

  /** Asks the host, and says in one line why that cannot be done. */
  private <T> T ask(Asking<T> question) throws IOException {
    try {
      return question.ask();
    } catch (HostProblem e) {
      throw new BadInput(
          "The coordinator's host cannot be asked: " + e.getMessage(),
          e.wayOut()
              + " If it is gone and the run has a --store: deepvm run --resume --from-store.");
    }
  }

  /** Returns how the coordinator's process stands. */
  private CoordinatorHost.Life life() throws IOException {
    CoordinatorHost.Life life = ask(host::life);
    if (life == CoordinatorHost.Life.NONE) {
      throw new BadInput(
          "%s has no coordinator of the run in %s.".formatted(seat.host().name(), folder),
          "Maybe it never started: delete %s and start the run again."
              .formatted(folder.resolve("coordinator.json")));
    }
    return life;
  }

  /**
   * Copies the run's folder here once the run is over, and removes it there. From then on the run
   * is one of this machine.
   *
   * @return whether the run is over
   */
  public boolean broughtHome() throws IOException {
    if (life() == CoordinatorHost.Life.RUNNING) {
      return false;
    }
    try (Homecoming copy = Homecoming.make(folder)) {
      ask(
          () -> {
            host.fetch(copy.packed());
            return copy;
          });
      if (!copy.isOver(terminal.clock())) {
        return false;
      }
      copy.keep();
    }
    CoordinatorSeat.delete(folder);
    ask(
        () -> {
          host.forget();
          return seat;
        });
    return true;
  }

  // --- Commands ---

  /** Prints how the run stands; returns the exit code. */
  public int status(Format format) throws IOException {
    int code = relay("status", seat.name(), "--output", format.toString());
    if (code == Exit.DONE && format == Format.TABLE) {
      terminal
          .out()
          .println(
              life() == CoordinatorHost.Life.RUNNING
                  ? "Coordinator: on %s.".formatted(seat.host().name())
                  : "Coordinator: was on %s, and has ended. Go on with the run: deepvm run --resume --folder %s"
                      .formatted(seat.host().name(), folder));
    }
    return code;
  }

  /** Runs a command there and prints what it printed; returns its code. */
  public int relay(String... words) throws IOException {
    CoordinatorHost.Answer answer = ask(() -> host.call(words));
    if (!answer.out().isEmpty()) {
      terminal.out().println(answer.out());
    }
    if (!answer.err().isEmpty()) {
      terminal.err().println(answer.err());
    }
    return answer.code();
  }

  /** Ends the run for good; returns the exit code. */
  public int stop() throws IOException, InterruptedException {
    if (broughtHome()) {
      terminal.out().println("The run is over: see deepvm status %s".formatted(folder));
      return Exit.DONE;
    }
    int code = relay("stop", seat.name());
    for (long waited = 0;
        code == Exit.DONE && waited < DOWN_MS && life() == CoordinatorHost.Life.RUNNING;
        waited += POLL_MS) {
      Thread.sleep(POLL_MS);
    }
    if (code == Exit.DONE) {
      var unused = broughtHome();
    }
    return code;
  }

  /** Serves the live page of the run until this thread or the process is interrupted. */
  public void watch() throws IOException {
    try (RemotePage page =
        RemotePage.open(ask(() -> host.serve("watch", seat.name())), host, seat.host())) {
      terminal.out().println(page.address());
      terminal.out().flush();
      terminal
          .err()
          .println(
              "Open it in a browser of this machine: it leads to %s. Ctrl-C closes the page only."
                  .formatted(seat.host().name()));
      terminal.err().flush();
      page.await();
    }
  }

  // --- Start and end ---

  /** Starts the coordinator there, unless it runs, and waits until it has taken the run over. */
  public void start(List<String> more) throws IOException, InterruptedException {
    List<String> words =
        new ArrayList<>(
            List.of("run", "--on", "ssh:%s/hosts.json".formatted(seat.name()), "--resume"));
    words.addAll(List.of("--folder", seat.name(), "--output", "json"));
    words.addAll(more);
    ask(
        () -> {
          host.start(words);
          return seat;
        });
    for (long waited = 0; waited < UP_MS; waited += POLL_MS) {
      if (ask(host::isUp)) {
        return;
      }
      Thread.sleep(POLL_MS);
    }
    throw new BadInput(
        "The coordinator on %s took no run over within %d s."
            .formatted(seat.host().name(), UP_MS / 1000),
        "Maybe see what it says: deepvm logs " + folder);
  }

  /** Goes on with a run whose coordinator has ended, and follows it; returns how it ended. */
  public RunStatus resume(List<String> more) throws IOException, InterruptedException {
    if (broughtHome()) {
      RunStatus status = Runs.status(folder, terminal.clock());
      throw new BadInput(
          "The run in %s cannot go on: it is %s (%s)."
              .formatted(folder, status.state().name().toLowerCase(Locale.ROOT), status.reason()),
          "Maybe start a new one with another --folder and without --resume.");
    }
    long printed = ask(host::printed);
    if (life() == CoordinatorHost.Life.RUNNING) {
      return follow(Math.max(0, printed - LAST_BYTES));
    }
    start(more);
    return follow(printed);
  }

  /** Prints what the coordinator prints until the run is over; returns how it ended. */
  public RunStatus follow(long fromByte) throws IOException, InterruptedException {
    String name = seat.host().name();
    terminal.err().println("%s coordinates the run; this computer may sleep.".formatted(name));
    terminal.err().flush();
    Thread hook = new Thread(() -> detached(name), "detached");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      new RemoteConsole(host, terminal).follow(fromByte);
    } finally {
      forget(hook);
    }
    if (!broughtHome()) {
      throw new BadInput(
          "The coordinator on %s ended, and the run is not over.".formatted(name),
          "Maybe see what it said (deepvm logs %s), and go on: deepvm run --resume --folder %s"
              .formatted(folder, folder));
    }
    return Runs.status(folder, terminal.clock());
  }

  private void detached(String name) {
    terminal
        .err()
        .println(
            "The run goes on: %s coordinates it. Look at it: deepvm status %s. End it for good: deepvm stop %s"
                .formatted(name, folder, folder));
    terminal.err().flush();
  }

  private static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // This process is ending.
    }
  }

  /** Checks from there that the coordinator reaches the hosts; refuses hosts that it does not. */
  public void requireReach() throws IOException {
    CoordinatorHost.Answer answer =
        ask(() -> host.call("places", "check", "ssh:%s/hosts.json".formatted(seat.name())));
    if (answer.code() != Exit.DONE) {
      List<String> lines = Arrays.asList(answer.err().split("\n", -1));
      throw new BadInput(
          "From %s: %s".formatted(seat.host().name(), lines.get(0)),
          lines.size() > 1 ? lines.get(1) : "Maybe try ssh from there by hand.");
    }
  }

  /** Removes everything there of a run that never began. */
  public void forget() throws IOException {
    host.forget();
    CoordinatorSeat.delete(folder);
  }

  /** Brings the packed folder of the run there. */
  public void put(Path packed) throws IOException {
    ask(
        () -> {
          host.put(packed);
          return packed;
        });
  }
}

package io.deepvm.cli.run;

import io.deepvm.base.AtomicFile;
import io.deepvm.base.BadInput;
import io.deepvm.cluster.RunFolder;
import io.deepvm.cluster.Runs;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.places.Places;
import io.deepvm.places.ledger.Bill;
import io.deepvm.places.ssh.CoordinatorSeat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How to go on with the run in a folder, and what else can be done there. */
public record Resumption(Path folder) {

  private static final String OPTION = "--resume";

  /** Keeps the command line that goes on with a run that is started by these words. */
  void keep(List<String> words) throws IOException {
    List<String> line = new ArrayList<>(words);
    if (!line.contains(OPTION)) {
      int end = line.indexOf("--");
      line.add(end < 0 ? line.size() : end, OPTION);
    }
    String text =
        line.stream().map(Resumption::quoted).collect(Collectors.joining(" ", "deepvm ", "\n"));
    AtomicFile.writePrivate(file(), text);
  }

  static String quoted(String word) {
    return word.matches("[A-Za-z0-9_./:=@%+,-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }

  /** Returns the command line that goes on; null if none was kept. */
  @Nullable String line() {
    try {
      return Files.readString(file()).strip();
    } catch (NoSuchFileException e) {
      return null;
    } catch (IOException e) {
      throw new BadInput(
          "%s cannot be read: %s.".formatted(file(), e.getMessage()),
          "Maybe add %s to the command that started the run.".formatted(OPTION));
    }
  }

  private Path file() {
    return folder.resolve("resume.txt");
  }

  /** Returns what an interrupted run has cost, and what can be done with it. */
  List<String> afterInterruption() {
    List<String> lines = new ArrayList<>();
    String ended = "interrupted: the nodes are ended and not paid any more";
    try {
      Bill bill = Places.of(folder).bill(folder);
      if (bill != null) {
        lines.addAll(BillLines.of(bill, folder));
        ended = bill.isSettled() ? ended : "interrupted: not all machines have ended";
      }
    } catch (IOException e) {
      ended = "interrupted: the bill cannot be read (%s)".formatted(e.getMessage());
    }
    lines.add(0, ended);
    lines.addAll(ways());
    return lines;
  }

  /** Returns what can be done with a run that waits for a coordinator, a sentence each. */
  List<String> ways() {
    List<String> ways = new ArrayList<>();
    String line = line();
    if (line != null) {
      ways.add("Go on with it: " + line);
    }
    ways.add("End it for good: deepvm stop " + quoted(folder.toString()));
    return ways;
  }

  /** Returns what a person should know of a run that does not go on by itself; empty if nothing. */
  List<String> hints(RunStatus status) throws IOException {
    Bill bill = Places.of(folder).bill(folder);
    List<String> hints = new ArrayList<>(bill == null ? List.of() : BillLines.of(bill, folder));
    if (status.state().isEnd() || Runs.coordinated(folder)) {
      return hints;
    }
    if (status.state() != RunPhase.INTERRUPTED) {
      hints.add("The process that coordinated it is gone.");
    }
    hints.addAll(ways());
    return hints;
  }

  /** Refuses a new run in a folder that has one, and says what works there. */
  void requireNone(Clock clock) throws IOException {
    if (CoordinatorSeat.exists(folder)) {
      throw new BadInput(
          "A host coordinates the run of %s already.".formatted(folder),
          "Maybe name another --folder, or look at it: deepvm status %s"
              .formatted(quoted(folder.toString())));
    }
    if (!RunFolder.exists(folder)) {
      return;
    }
    RunStatus status = Runs.status(folder, clock);
    if (status.state().isEnd()) {
      throw new BadInput(
          "There is a run in %s already: it has %s.".formatted(folder, word(status)),
          "Maybe name another --folder, or delete this one.");
    }
    if (Runs.coordinated(folder)) {
      throw new BadInput(
          "There is a run in %s already, and it goes on.".formatted(folder),
          "Maybe name another --folder, or look at it: deepvm status %s"
              .formatted(quoted(folder.toString())));
    }
    String line = line();
    throw new BadInput(
        "There is a run in %s already: it is at step %d, and nobody coordinates it."
            .formatted(folder, status.step()),
        line == null
            ? "Maybe add %s to go on with it, or name another --folder.".formatted(OPTION)
            : "Maybe go on with it (%s), or name another --folder.".formatted(line));
  }

  /** Refuses to go on with a run that is over. */
  void requireOpen(Clock clock) throws IOException {
    if (!RunFolder.exists(folder)) {
      return;
    }
    RunStatus status = Runs.status(folder, clock);
    if (status.state().isEnd()) {
      throw new BadInput(
          "The run in %s cannot go on: it has %s (%s)."
              .formatted(folder, word(status), status.reason()),
          "Maybe start a new one with another --folder and without %s.".formatted(OPTION));
    }
  }

  private static String word(RunStatus status) {
    return status.state() == RunPhase.INFEASIBLE
        ? "been given up"
        : status.state().name().toLowerCase(Locale.ROOT);
  }
}

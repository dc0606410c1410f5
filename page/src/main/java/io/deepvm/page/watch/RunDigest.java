package io.deepvm.page.watch;

import io.deepvm.base.BadInput;
import io.deepvm.cluster.log.EventReader;
import io.deepvm.cluster.log.History;
import io.deepvm.cluster.log.RunStatus;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One run in a few figures. It reads of the log only what came since the last look. */
final class RunDigest implements Closeable {

  /**
   * A run in a list.
   *
   * @param id its part of the address
   * @param problem why its log cannot be read; null if it can
   */
  record Row(
      String id,
      String state,
      long step,
      long nodes,
      long microDollars,
      long startedMs,
      long atMs,
      @Nullable String problem) {}

  private final String id;
  private final Path log;
  private @Nullable EventReader reader;
  private History history = new History();

  /** How long the log was at the last look; -1 to look again. */
  private long bytes = -1;

  private Row row;

  /** Makes the digest of the run in a folder. */
  RunDigest(String id, Path folder) {
    this.id = id;
    this.log = folder.toAbsolutePath().normalize().resolve("events.jsonl");
    this.row = waiting();
  }

  /** Returns the run as it is now; a log that cannot be read is no reason to fail. */
  Row row() {
    try {
      if (!Files.exists(log)) {
        close();
        bytes = -1;
        row = waiting();
      } else if (Files.size(log) != bytes || (reader != null && reader.begunAnew())) {
        read();
      }
    } catch (BadInput | IllegalStateException e) {
      letGo();
      row = unreadable(String.valueOf(e.getMessage()));
    } catch (IOException | UncheckedIOException e) {
      letGo();
      row = unreadable("The log cannot be read: %s.".formatted(e.getMessage()));
      bytes = -1;
    }
    return row;
  }

  private void read() throws IOException {
    EventReader open = reader;
    if (open == null || open.begunAnew()) {
      close();
      open = EventReader.open(log);
      reader = open;
      history = new History();
    }
    bytes = Files.size(log);
    for (List<EventReader.Line> next = open.next(); !next.isEmpty(); next = open.next()) {
      next.forEach(line -> history.add(line.logged()));
    }
    RunStatus status = history.status();
    row =
        new Row(
            id,
            status.state().name(),
            status.step(),
            status.nodes().stream().filter(node -> !node.state().isEnd()).count(),
            status.cost().micros(),
            status.startedMs(),
            status.atMs(),
            null);
    if (status.state().isEnd()) {
      close();
    }
  }

  private void letGo() {
    try {
      close();
    } catch (IOException e) {
      // It was open to read only.
    }
  }

  private Row waiting() {
    return new Row(id, "WAITING", 0, 0, 0, 0, 0, null);
  }

  private Row unreadable(String problem) {
    return new Row(id, "UNREADABLE", 0, 0, 0, 0, 0, problem);
  }

  /** Lets go of the log; the next change is read from its start. */
  @Override
  public void close() throws IOException {
    if (reader != null) {
      reader.close();
      reader = null;
    }
    history = new History();
  }
}

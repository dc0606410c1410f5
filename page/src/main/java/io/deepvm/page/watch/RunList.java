package io.deepvm.page.watch;

import io.deepvm.base.BadInput;
import io.deepvm.cluster.RunFolder;
import io.deepvm.cluster.log.EventLog;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.page.PageSite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The runs of a folder: the folder itself if it has a run, else the folders in it that have. */
final class RunList {

  /**
   * A run in a few figures.
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

  private record Seen(long bytes, Row row) {}

  private final Path folder;
  private final Map<Path, Seen> seen = new ConcurrentHashMap<>();

  RunList(Path folder) {
    this.folder = folder.toAbsolutePath().normalize();
  }

  /** Whether the folder itself is the run. */
  boolean isOne() {
    return RunFolder.exists(folder);
  }

  /** Returns the folders of the runs, by name. */
  List<Path> folders() throws IOException {
    if (isOne()) {
      return List.of(folder);
    }
    try (Stream<Path> inside = Files.list(folder)) {
      return inside.filter(RunFolder::exists).sorted().toList();
    } catch (NoSuchFileException e) {
      // A run that is about to begin makes it.
      return List.of();
    }
  }

  /** Returns the folder of a run. */
  Path named(String id) throws IOException {
    for (Path run : folders()) {
      if (id(run).equals(id)) {
        return run;
      }
    }
    throw new PageSite.NoSuchPage("run '%s'".formatted(id));
  }

  static String id(Path run) {
    return String.valueOf(run.getFileName());
  }

  /** Returns all runs; a log that has not grown is not read again. */
  List<Row> rows() throws IOException {
    List<Row> rows = new ArrayList<>();
    for (Path run : folders()) {
      Path log = RunFolder.of(run).events();
      long bytes = Files.exists(log) ? Files.size(log) : 0;
      Seen before = seen.get(run);
      if (before == null || before.bytes() != bytes) {
        before = new Seen(bytes, row(id(run), log, bytes));
        seen.put(run, before);
      }
      rows.add(before.row());
    }
    return rows;
  }

  private static Row row(String id, Path log, long bytes) throws IOException {
    if (bytes == 0) {
      return new Row(id, "WAITING", 0, 0, 0, 0, 0, null);
    }
    try {
      RunStatus status = RunStatus.of(EventLog.read(log));
      return new Row(
          id,
          status.state().name(),
          status.step(),
          status.nodes().stream().filter(node -> !node.state().isEnd()).count(),
          status.cost().micros(),
          status.startedMs(),
          status.atMs(),
          null);
    } catch (BadInput | IllegalStateException e) {
      return new Row(id, "UNREADABLE", 0, 0, 0, 0, 0, e.getMessage());
    }
  }
}

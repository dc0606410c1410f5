package io.deepvm.page.watch;

import io.deepvm.cluster.RunFolder;
import io.deepvm.page.PageSite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The runs of a folder: the folder itself if it has a run, else the folders in it that have. */
final class RunList {

  /** Each may hold its log open. */
  private static final int MOST = 500;

  private final Path folder;
  private final Map<Path, RunDigest> digests = new TreeMap<>();

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
      return inside.filter(RunFolder::exists).sorted().limit(MOST).toList();
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

  /** Returns all runs. One that cannot be read has a row that says so. */
  synchronized List<RunDigest.Row> rows() throws IOException {
    List<Path> runs = folders();
    for (Path gone : digests.keySet().stream().filter(run -> !runs.contains(run)).toList()) {
      RunDigest digest = digests.remove(gone);
      if (digest != null) {
        digest.close();
      }
    }
    List<RunDigest.Row> rows = new ArrayList<>();
    for (Path run : runs) {
      rows.add(digests.computeIfAbsent(run, path -> new RunDigest(id(path), path)).row());
    }
    return rows;
  }
}

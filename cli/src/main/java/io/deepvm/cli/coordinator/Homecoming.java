package io.deepvm.cli.coordinator;

import io.deepvm.base.PrivateFiles;
import io.deepvm.cluster.RunFolder;
import io.deepvm.cluster.Runs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A copy of a run's folder that comes from another machine. It counts once it is whole. */
final class Homecoming implements AutoCloseable {

  private static final List<String> FILES =
      List.of("console.log", "report.json", "nodes", "events.jsonl", "run.json");

  private final Path target;
  private final Path copy;

  private Homecoming(Path target, Path copy) {
    this.target = target;
    this.copy = copy;
  }

  static Homecoming make(Path target) throws IOException {
    return new Homecoming(target, Files.createTempDirectory(target, ".copy"));
  }

  /** Returns where the packed copy is to be put. */
  Path packed() {
    return copy.resolve("packed.tar.gz");
  }

  /** Unpacks the copy, and returns whether its run is over. */
  boolean isOver(Clock clock) throws IOException {
    PackedFolder.unpack(packed(), copy);
    return RunFolder.exists(copy) && Runs.status(copy, clock).state().isEnd();
  }

  /** Puts the copy into its place. */
  void keep() throws IOException {
    for (String name : FILES) {
      Path file = copy.resolve(name);
      if (Files.exists(file) && !Files.exists(target.resolve(name))) {
        Files.move(file, target.resolve(name), StandardCopyOption.ATOMIC_MOVE);
      }
    }
    PrivateFiles.folder(target);
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> all = Files.walk(copy)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    }
  }
}

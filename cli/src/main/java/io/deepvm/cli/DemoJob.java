package io.deepvm.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** The training that stands for a plan's job when the user brings none. */
final class DemoJob {

  private DemoJob() {}

  /** Writes the job of the built-in trainer into a file. */
  static void write(Path file) throws IOException {
    copy("demo-training.yaml", file);
  }

  /** Copies a resource of this package into a file. */
  static void copy(String resource, Path file) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(DemoJob.class.getResourceAsStream(resource), resource)) {
      AtomicFile.write(file, target -> Files.write(target, in.readAllBytes()));
    }
  }
}

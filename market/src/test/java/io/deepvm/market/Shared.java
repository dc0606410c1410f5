package io.deepvm.market;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/** Finds reference data beside the project, which a clean clone does not have. */
final class Shared {

  private Shared() {}

  /** Returns the path below the shared folder, or skips the test when it is not there. */
  static String path(String below) {
    Path path =
        Path.of(System.getProperty("deepvm.root", "."), "..", "shared").resolve(below).normalize();
    assumeTrue(Files.exists(path), "no reference data at " + path);
    return path.toString();
  }
}
